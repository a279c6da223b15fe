import { RenderError } from '../render-error.ts';
import type { Lookup } from '../render-request.ts';
import { lookupId, type LookupKey, type LookupResults } from './lookup-table.ts';

/** Number of passes, because the results of lookups can lead to further lookups. */
const maxLookupRounds = 10;

/**
 * Renders a chart until nothing that its templates look up is missing. Each pass receives the
 * results of all lookups so far. Throws RenderError (`render_limit`) if a chart keeps looking up
 * new objects.
 */
export async function renderWithLookups<T>(
  chartName: string,
  lookup: Lookup,
  render: (results: LookupResults) => Promise<{ done: T } | { missing: readonly LookupKey[] }>,
): Promise<T> {
  const results = new Map<string, Readonly<Record<string, unknown>>>();
  for (let round = 0; round < maxLookupRounds; round++) {
    const outcome = await render(results);
    if ('done' in outcome) return outcome.done;
    await Promise.all(
      distinct(outcome.missing).map(async ([id, { apiVersion, kind, namespace, name }]) => {
        results.set(id, await lookup(apiVersion, kind, namespace, name));
      }),
    );
  }
  throw new RenderError(
    'render_limit',
    `chart ${chartName} looks up new objects in each of ${maxLookupRounds} passes; a template must not look up generated names`,
  );
}

function distinct(keys: readonly LookupKey[]): [string, LookupKey][] {
  return [...new Map(keys.map((key) => [lookupId(key), key]))];
}
