import { RenderError } from '../render-error.ts';
import type { Lookup, ResolveHost } from '../render-request.ts';
import { lookupId, type LookupKey, type LookupResults } from './lookup-table.ts';

/** Number of passes, because the results of lookups can lead to further lookups. */
const maxLookupRounds = 10;

/** Number of host names that the templates of a chart may resolve. */
const maxHosts = 100;

/** The sources of what templates look up. Default of each: nothing is found. */
export interface LookupSources {
  lookup?: Lookup | undefined;
  resolveHost?: ResolveHost | undefined;
}

/**
 * Renders a chart until nothing that its templates look up is missing. Each pass receives the
 * results of all lookups so far. Throws RenderError (`render_limit`) if a chart keeps looking up
 * new objects, or too many hosts.
 */
export async function renderWithLookups<T>(
  chartName: string,
  sources: LookupSources,
  render: (results: LookupResults) => Promise<{ done: T } | { missing: readonly LookupKey[] }>,
): Promise<T> {
  const results = new Map<string, Readonly<Record<string, unknown>>>();
  let hosts = 0;
  for (let round = 0; round < maxLookupRounds; round++) {
    const outcome = await render(results);
    if ('done' in outcome) return outcome.done;
    const missing = distinct(outcome.missing);
    hosts += missing.filter(([, key]) => 'host' in key).length;
    if (hosts > maxHosts) {
      const message = `chart ${chartName} resolves more than ${maxHosts} host names`;
      throw new RenderError('render_limit', message);
    }
    await Promise.all(missing.map(async ([id, key]) => results.set(id, await find(sources, key))));
  }
  throw new RenderError(
    'render_limit',
    `chart ${chartName} looks up new objects in each of ${maxLookupRounds} passes; a template must not look up generated names`,
  );
}

async function find({ lookup, resolveHost }: LookupSources, key: LookupKey) {
  if ('host' in key) return { addresses: (await resolveHost?.(key.host)) ?? [] };
  return (await lookup?.(key.apiVersion, key.kind, key.namespace, key.name)) ?? {};
}

function distinct(keys: readonly LookupKey[]): [string, LookupKey][] {
  return [...new Map(keys.map((key) => [lookupId(key), key]))];
}
