import { type PostRender, postRendered, type PostRenderStrategy } from './manifest/post-render.ts';
import { RenderError } from './render-error.ts';
import type { RenderSettings } from './render-input.ts';
import { lookupId, type LookupKey, type LookupResults, type LookupTable } from './scope/lookup-table.ts';

/** The objects and addresses that the templates of a pass can look up, as plain data. */
export interface PassLookups {
  /** Objects that earlier passes looked up. Default: lookups find nothing. */
  lookups?: LookupResults | undefined;
  /** Whether `getHostByName` resolves names. Default: it returns an empty text. */
  resolvesHosts?: boolean | undefined;
}

/** The end of a pass: its result, or what its templates looked up without a result. */
export type PassReply<Result> = { done: Result } | { missing: readonly LookupKey[] };

/** Runs a pass. If lookups are missing, the pass may have failed only because of them. */
export function runPass<Result>(
  { lookups: results, resolvesHosts }: PassLookups,
  render: (lookups: LookupTable | undefined) => Result,
): PassReply<Result> {
  const lookups: LookupTable | undefined = results && { results, missing: [], resolvesHosts };
  try {
    const done = render(lookups);
    if (lookups === undefined || lookups.missing.length === 0) return { done };
  } catch (error) {
    if (lookups === undefined || lookups.missing.length === 0) throw error;
  }
  return { missing: lookups.missing };
}

/** Settings that the thread of the caller obeys, between the passes and after them. */
export type PassSettings = Pick<RenderSettings, 'lookup' | 'resolveHost' | 'postRender' | 'postRenderStrategy'>;

/**
 * Renders a chart by passes, until nothing that its templates look up is missing, and then runs the
 * post-renderer. Throws RenderError (`render_limit`) if a chart keeps looking up new objects, or
 * too many hosts.
 * @param pass renders the chart once, with the results of all lookups so far
 * @param split returns the result of a pass whose files are not split yet
 */
export async function renderInPasses<Result extends object, Templates extends { files: ReadonlyMap<string, string> }>(
  chartName: string,
  settings: PassSettings,
  pass: (lookups: PassLookups) => Promise<PassReply<Result | Templates>>,
  split: (templates: Templates) => Result | Promise<Result>,
): Promise<Result> {
  const rendered = await renderWithLookups(chartName, settings, pass);
  if (!('files' in rendered)) return rendered;
  const { postRender, postRenderStrategy } = settings;
  return split(await withPostRendered(rendered, postRender, postRenderStrategy));
}

async function withPostRendered<Templates extends { files: ReadonlyMap<string, string> }>(
  templates: Templates,
  postRender: PostRender | undefined,
  strategy: PostRenderStrategy | undefined,
): Promise<Templates> {
  if (postRender === undefined) return templates;
  return { ...templates, files: await postRendered(templates.files, postRender, strategy) };
}

/** Number of passes, because the results of lookups can lead to further lookups. */
const maxPasses = 10;

/** Number of host names that the templates of a chart may resolve. */
const maxHosts = 100;

async function renderWithLookups<Result>(
  chartName: string,
  settings: PassSettings,
  pass: (lookups: PassLookups) => Promise<PassReply<Result>>,
): Promise<Result> {
  const { lookup, resolveHost } = settings;
  if (lookup === undefined && resolveHost === undefined) return resultOf(await pass({}));
  const lookups = new Map<string, Readonly<Record<string, unknown>>>();
  let hosts = 0;
  for (let number = 0; number < maxPasses; number++) {
    const reply = await pass({ lookups, resolvesHosts: resolveHost !== undefined });
    if ('done' in reply) return reply.done;
    const missing = distinct(reply.missing);
    hosts += missing.filter(([, key]) => 'host' in key).length;
    if (hosts > maxHosts) {
      throw new RenderError('render_limit', `chart ${chartName} resolves more than ${maxHosts} host names`);
    }
    await Promise.all(missing.map(async ([id, key]) => lookups.set(id, await find(settings, key))));
  }
  throw new RenderError(
    'render_limit',
    `chart ${chartName} looks up new objects in each of ${maxPasses} passes; a template must not look up generated names`,
  );
}

function resultOf<Result>(reply: PassReply<Result>): Result {
  if ('done' in reply) return reply.done;
  throw new Error('a render without a cluster asked for objects');
}

async function find({ lookup, resolveHost }: PassSettings, key: LookupKey) {
  if ('host' in key) return { addresses: (await resolveHost?.(key.host)) ?? [] };
  return (await lookup?.(key.apiVersion, key.kind, key.namespace, key.name)) ?? {};
}

function distinct(keys: readonly LookupKey[]): [string, LookupKey][] {
  return [...new Map(keys.map((key) => [lookupId(key), key]))];
}
