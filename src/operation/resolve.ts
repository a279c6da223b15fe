import { isDryRun } from '../protocol/commands/definition.ts';
import type { PostRender } from '../render/manifest/post-render.ts';
import type { RequestSources } from './command-operation.ts';
import { OperationError } from './error.ts';
import { chartFields, type ChartPlace, type RequestOf } from './request.ts';

/** Time for which containers without a readiness probe must run, in milliseconds. */
const unprobedTime = 5000;

/** Time for which a controller may act on a changed custom resource, in milliseconds. */
const customTime = 3000;

/**
 * Returns for what an operation waits, by Helm's values of `wait`. As in Helm, an atomic operation
 * waits also with `hookOnly` (pkg/action/install.go).
 */
export function waitOptions(wait: boolean | 'watcher' | 'legacy' | 'hookOnly' | undefined, atomic = false) {
  return {
    ...(wait !== undefined && { wait: wait === 'hookOnly' ? atomic : wait !== false }),
    ...(wait === 'legacy' && { waitStrategy: wait }),
  };
}

/**
 * Returns how long resources must stay ready: containers without a readiness probe by default,
 * because one that crashes after its start counts as ready at first, and custom resources that do
 * not show whether their controller has acted.
 */
export function settleOptions(settle: number | false | undefined) {
  if (settle === undefined) return { settleUnprobed: unprobedTime, settleCustom: customTime };
  return settle === false ? {} : { settle };
}

/** Returns a switch in place of Helm's modes. */
export function dryRunOption(dryRun: RequestOf<'rollback_release'>['dryRun']) {
  return isDryRun(dryRun) ? { dryRun: true } : {};
}

/**
 * Returns a request with a function that loads the chart. The chart is loaded when the operation
 * asks for it. Throws `bad_payload`.
 */
export function withChart<Request extends ChartPlace & { readonly enableDns?: boolean }>(
  given: Request,
  { chartAt, denyDns = false }: RequestSources,
) {
  if (denyDns && given.enableDns === true) {
    throw new OperationError('bad_payload', 'enableDns: this agent does not resolve names for charts (--deny-dns)');
  }
  return { ...withoutFields(given, chartFields), loadChart: chartAt(given) };
}

/** Returns the request of an installation or an upgrade. Throws `bad_payload`. */
export function deployRequest(
  payload: RequestOf<'install_release'> | RequestOf<'upgrade_release'>,
  sources: RequestSources,
) {
  const { wait, settle, dryRun, postRenderer, ...options } = withChart(payload, sources);
  return {
    ...withoutFields(options, ['hideNotes', 'disableOpenapiValidation']),
    ...waitOptions(wait, options.atomic),
    ...settleOptions(settle),
    ...dryRunOption(dryRun),
    ...(dryRun === 'client' && { offline: true }),
    ...(isDryRun(dryRun) && dryRun !== 'client' && { preview: 'dry-run' as const }),
    ...(postRenderer !== undefined && { postRender: postRenderOf(postRenderer, sources) }),
  };
}

export function withoutFields<Fields extends object, Name extends string>(
  fields: Fields,
  names: readonly Name[],
): Omit<Fields, Name> {
  const left = Object.entries(fields).filter(([name]) => !(names as readonly string[]).includes(name));
  return Object.fromEntries(left) as Omit<Fields, Name>; // the others
}

function postRenderOf(name: string, { postRenderers = new Map() }: RequestSources): PostRender {
  const postRender = postRenderers.get(name);
  if (postRender !== undefined) return postRender;
  const known = postRenderers.size === 0 ? 'none' : [...postRenderers.keys()].sort().join(', ');
  const advice = 'start the agent with --post-renderers to add one';
  throw new OperationError(
    'bad_payload',
    `postRenderer: the agent has no such post-renderer, only: ${known}; ${advice}`,
  );
}
