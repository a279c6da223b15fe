import type { Hook, HookEvent, HookExecution } from '../../release/hook.ts';
import type { StoredRevision } from '../../release/storage/storage.ts';
import { formatTime } from '../../release/time.ts';
import { applyObject } from '../apply/apply.ts';
import type { OperationContext } from '../context.ts';
import { waitUntilGone } from '../wait/deletion-wait.ts';
import { OperationError, messageOf } from '../error.ts';
import { waitUntilReady } from '../wait/ready-wait.ts';
import type { StepTools } from './step-runner.ts';
import { resolveReleaseObjects, type ReleaseObject } from '../apply/release-object.ts';
import { timeLimit } from './time-limit.ts';

/** Time limit for deleting hooks after a failure, in milliseconds. */
const cleanupTimeout = 30_000;

/** Holds the revision whose hooks run. It is replaced when their runs are stored in it. */
export interface HookedRevision {
  revision: StoredRevision;
}

/**
 * Runs the hooks of an event one at a time, in the order of weight and name. Waits for Jobs and
 * Pods to end, deletes hooks by their policies, and stores the time of each run in the revision.
 * Throws `hook_failed`, `timeout` or `cancelled`.
 */
export async function runHooks(
  context: OperationContext,
  state: HookedRevision,
  event: HookEvent,
  tools: StepTools,
): Promise<void> {
  const hooks = hooksOf(state, event);
  if (hooks.length === 0) {
    tools.skipped(`no ${event} hooks`);
    return;
  }
  const ended: Hook[] = [];
  for (const hook of hooks) {
    tools.signal.throwIfAborted();
    tools.report({ message: `${event} hook ${hook.kind} ${hook.name}` });
    try {
      await runHook(context, state, hook, event, tools);
    } catch (error) {
      await deleteAfterFailure(context, state, hook, ended, tools);
      throw error;
    }
    ended.push(hook);
  }
  for (const hook of ended.toReversed()) await deleteByPolicy(context, state, hook, 'hook-succeeded', tools);
  tools.done(`${hooks.length} ${event} ${hooks.length === 1 ? 'hook' : 'hooks'}`);
}

function hooksOf({ revision }: HookedRevision, event: HookEvent): Hook[] {
  const hooks = (revision.release.hooks ?? []).filter(({ events }) => events.includes(event));
  return hooks.sort((a, b) => (a.weight ?? 0) - (b.weight ?? 0) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

async function runHook(
  context: OperationContext,
  state: HookedRevision,
  hook: Hook,
  event: HookEvent,
  tools: StepTools,
): Promise<void> {
  const { cluster, host } = context;
  await deleteByPolicy(context, state, hook, 'before-hook-creation', tools);
  const objects = await hookObjects(
    context,
    state,
    hook,
    `unable to build kubernetes object for ${event} hook ${hook.path}`,
    tools,
  );
  const startedAt = formatTime(host.now());
  await record(context, state, hook, { started_at: startedAt, phase: 'Running' }, tools.signal);
  const end = (phase: string) => {
    setExecution(state, hook, { started_at: startedAt, completed_at: formatTime(host.now()), phase });
  };
  try {
    for (const item of objects) await applyObject(cluster, item, tools.signal);
  } catch (cause) {
    end('Failed');
    tools.signal.throwIfAborted();
    const message = `warning: Hook ${event} ${hook.path} failed: ${messageOf(cause)}`;
    throw new OperationError('hook_failed', message, { cause });
  }
  try {
    const awaited = objects.map(({ ref }) => ref).filter(({ kind }) => kind === 'Job' || kind === 'Pod');
    await waitUntilReady(awaited, { cluster, host, tools, toCompletion: ['Job', 'Pod'], labelled: false });
  } catch (cause) {
    end('Failed');
    if (!(cause instanceof OperationError) || cause.code !== 'not_ready') throw cause;
    throw new OperationError('hook_failed', cause.message, { cause, resources: cause.resources });
  }
  end('Succeeded');
}

/**
 * Deletes hooks after a failure, even if the operation has timed out. A failure to delete them is
 * only reported.
 */
async function deleteAfterFailure(
  context: OperationContext,
  state: HookedRevision,
  failed: Hook,
  ended: readonly Hook[],
  tools: StepTools,
): Promise<void> {
  const limit = timeLimit(cleanupTimeout, [context.abandon]);
  const ownTools = { ...tools, signal: limit.signal };
  try {
    await deleteByPolicy(context, state, failed, 'hook-failed', ownTools);
    for (const hook of ended) await deleteByPolicy(context, state, hook, 'hook-succeeded', ownTools);
  } catch (error) {
    tools.report({ message: `could not delete hooks: ${messageOf(error)}` });
  } finally {
    limit.close();
  }
}

async function deleteByPolicy(
  context: OperationContext,
  state: HookedRevision,
  hook: Hook,
  policy: string,
  tools: StepTools,
): Promise<void> {
  const policies = hook.delete_policies ?? [];
  const applies = policies.length === 0 ? policy === 'before-hook-creation' : policies.includes(policy);
  // deleting a definition would delete all its objects
  if (!applies || hook.kind === 'CustomResourceDefinition') return;
  const objects = await hookObjects(
    context,
    state,
    hook,
    `unable to build kubernetes object for deleting hook ${hook.path}`,
    tools,
  );
  const deleted: ReleaseObject[] = [];
  for (const item of objects) {
    if (await context.cluster.delete(item.ref, { signal: tools.signal })) deleted.push(item);
  }
  await waitUntilGone(
    deleted.map(({ ref }) => ref),
    { cluster: context.cluster, tools, labelled: false },
  );
}

function hookObjects(
  context: OperationContext,
  { revision }: HookedRevision,
  hook: Hook,
  prefix: string,
  { signal }: StepTools,
): Promise<ReleaseObject[]> {
  return resolveReleaseObjects(context, hook.manifest, revision.release.namespace, { prefix, signal });
}

async function record(
  { storage }: OperationContext,
  state: HookedRevision,
  hook: Hook,
  execution: HookExecution,
  signal: AbortSignal,
): Promise<void> {
  setExecution(state, hook, execution);
  state.revision = await storage.update(state.revision, signal);
}

function setExecution(state: HookedRevision, hook: Hook, execution: HookExecution): void {
  const { release } = state.revision;
  const isSame = (other: Hook) => other.path === hook.path && other.kind === hook.kind && other.name === hook.name;
  const hooks = (release.hooks ?? []).map((other) => (isSame(other) ? { ...other, last_run: execution } : other));
  state.revision = { ...state.revision, release: { ...release, hooks } };
}
