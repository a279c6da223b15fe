import type { Chart } from '../../chart/chart.ts';
import { lookupId, type LookupAnswers, type LookupKey } from './lookup-table.ts';
import { RenderError } from '../render-error.ts';

/** How often a chart is rendered for the sake of its lookups: what it looks up may depend on what it found. */
const maxLookupRounds = 10;

/** Answers `lookup`: the object, for an empty name the list of them, an empty object where there is none. */
export type Lookup = (
  apiVersion: string,
  kind: string,
  namespace: string,
  name: string,
) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>;

/**
 * Renders again and again, each time with the answers to what was asked for before, until nothing is missing. Throws RenderError (`render_limit`) where a
 * chart does not stop to ask.
 */
export async function withLookups<T>(
  chart: Chart,
  lookup: Lookup,
  render: (answers: LookupAnswers) => Promise<{ done: T } | { missing: readonly LookupKey[] }>,
): Promise<T> {
  const answers = new Map<string, Readonly<Record<string, unknown>>>();
  for (let round = 0; round < maxLookupRounds; round++) {
    const outcome = await render(answers);
    if ('done' in outcome) return outcome.done;
    await Promise.all(
      distinct(outcome.missing).map(async ([id, { apiVersion, kind, namespace, name }]) => {
        answers.set(id, await lookup(apiVersion, kind, namespace, name));
      }),
    );
  }
  throw new RenderError(
    'render_limit',
    `chart ${chart.metadata.name} looks up other objects after each of ${maxLookupRounds} renders; a template must not make up names to look up`,
  );
}

function distinct(keys: readonly LookupKey[]): [string, LookupKey][] {
  return [...new Map(keys.map((key) => [lookupId(key), key]))];
}
