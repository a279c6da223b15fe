import type { Hook, HookEvent, HookExecution } from '../../release/hook.ts';
import type { StoredRevision } from '../../release/storage/storage.ts';
import { formatTime } from '../../release/time.ts';
import { groupOf } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { applyStrategy } from '../apply/strategy.ts';
import type { ApplyMethod } from '../apply/apply-settings.ts';
import { deleteSeen, seenObject, type SeenObject } from '../apply/deletion.ts';
import { otherOwner, type Owner } from '../apply/ownership.ts';
import type { OperationContext } from '../context.ts';
import { waitUntilGone } from '../wait/deletion-wait.ts';
import { OperationError, messageOf } from '../error.ts';
import { waitUntilReady } from '../wait/ready-wait.ts';
import type { StepTools } from './step-runner.ts';
import { resolveReleaseObjects, type ReleaseObject } from '../apply/release-object.ts';
import { timeLimit } from './time-limit.ts';
import { updateRevision } from './update-revision.ts';

/** Policy of a hook without one. */
const defaultPolicy = 'before-hook-creation';

/** Time limit for deleting hooks after a failure, in milliseconds. */
const cleanupTimeout = 30_000;

/** Holds the revision whose hooks run. It is replaced when their runs are stored in it. */
export interface HookedRevision {
  revision: StoredRevision;
}

/** The objects of a hook that this run has applied. */
interface HookRun {
  hook: Hook;
  applied: AppliedObject[];
}

interface AppliedObject extends SeenObject {
  /** Whether it did not exist before. */
  isNew: boolean;
}

/**
 * Runs the hooks of an event one at a time, in the order of weight and name. Waits for Jobs and
 * Pods to end, deletes hooks by their policies, and stores the time of each run in the revision.
 * Throws `hook_failed`, `ownership_conflict`, `timeout` or `cancelled`.
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
  const ended: HookRun[] = [];
  for (const hook of hooks) {
    tools.signal.throwIfAborted();
    tools.report({ message: `${event} hook ${hook.kind} ${hook.name}` });
    const run: HookRun = { hook, applied: [] };
    await applyHook(context, state, run, event, tools);
    try {
      await waitForHook(context, state, run, tools);
    } catch (error) {
      await deleteAfterFailure(context, run, ended, tools);
      throw error;
    }
    ended.push(run);
  }
  for (const run of ended.toReversed()) await deleteApplied(context, run, 'hook-succeeded', tools);
  tools.done(`${hooks.length} ${event} ${hooks.length === 1 ? 'hook' : 'hooks'}`);
}

function hooksOf({ revision }: HookedRevision, event: HookEvent): Hook[] {
  const hooks = (revision.release.hooks ?? []).filter(({ events }) => events.includes(event));
  return hooks.sort((a, b) => (a.weight ?? 0) - (b.weight ?? 0) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/**
 * Applies the objects of a hook. As in Helm, a failure here deletes no hooks
 * (pkg/action/hooks.go, shutdownNoOp).
 */
async function applyHook(
  context: OperationContext,
  state: HookedRevision,
  { hook, applied }: HookRun,
  event: HookEvent,
  tools: StepTools,
): Promise<void> {
  const { cluster, host } = context;
  const prefix = `unable to build kubernetes object for ${event} hook ${hook.path}`;
  const { manifest } = hook;
  const { namespace } = state.revision.release;
  const objects = await resolveReleaseObjects(context, manifest, namespace, { prefix, signal: tools.signal });
  const existing = await deleteBeforeCreation(context, state, hook, objects, tools);

  const startedAt = formatTime(host.now());
  await record(context, state, hook, { started_at: startedAt, phase: 'Running' }, tools);
  try {
    const strategy = applyStrategy({ method: methodOf(state, event) }, { ...tools, cluster });
    for (const item of objects) {
      const object = await strategy.create(item);
      applied.push({ ...seenObject(item.ref, object), isNew: !existing.has(object.metadata.uid) });
    }
  } catch (cause) {
    setExecution(state, hook, { started_at: startedAt, completed_at: formatTime(host.now()), phase: 'Failed' });
    tools.signal.throwIfAborted();
    const message = `warning: Hook ${event} ${hook.path} failed: ${messageOf(cause)}`;
    throw new OperationError('hook_failed', message, { cause });
  }
}

/** Returns how hooks are applied: as the objects of the revision, and server-side on uninstall. */
function methodOf({ revision: { release } }: HookedRevision, event: HookEvent): ApplyMethod {
  const isDeletion = event === 'pre-delete' || event === 'post-delete';
  return isDeletion || release.apply_method === 'ssa' ? 'ssa' : 'csa';
}

async function waitForHook(
  { cluster, host }: OperationContext,
  state: HookedRevision,
  { hook, applied }: HookRun,
  tools: StepTools,
): Promise<void> {
  const end = (phase: string) => {
    setExecution(state, hook, { ...executionOf(state, hook), completed_at: formatTime(host.now()), phase });
  };
  try {
    const awaited = applied.map(({ ref }) => ref).filter(({ kind }) => kind === 'Job' || kind === 'Pod');
    await waitUntilReady(awaited, { cluster, host, tools, toCompletion: ['Job', 'Pod'], labelled: false });
  } catch (cause) {
    end('Failed');
    if (!(cause instanceof OperationError) || cause.code !== 'not_ready') throw cause;
    throw new OperationError('hook_failed', cause.message, { cause, resources: cause.resources });
  }
  end('Succeeded');
}

/**
 * Deletes the objects of an earlier run if the policy says so. Returns the uids of the objects that
 * are left.
 *
 * Helm deletes by name without a check of the owner (pkg/action/hooks.go, deleteHookByPolicy). So
 * does this, except for objects of another release and for namespaces, which would take all their
 * objects with them: a hook changes a namespace in place.
 */
async function deleteBeforeCreation(
  { cluster }: OperationContext,
  { revision }: HookedRevision,
  hook: Hook,
  objects: readonly ReleaseObject[],
  tools: StepTools,
): Promise<ReadonlySet<string | undefined>> {
  const { signal } = tools;
  const existing = new Set<string | undefined>();
  const deleted: SeenObject[] = [];
  const onLeft = (message: string) => tools.report({ message });
  for (const { ref } of objects) {
    const live = ref.name === '' ? undefined : await cluster.get(ref, signal);
    if (live === undefined) continue;
    requireNoOtherOwner(hook, ref, live, revision.release);
    const isDeleted = hasPolicy(hook, 'before-hook-creation') && !isDefinition(ref) && !isNamespace(ref);
    const seen = seenObject(ref, live);
    if (!isDeleted) existing.add(seen.uid);
    else if (await deleteSeen(cluster, seen, { onLeft, signal })) deleted.push(seen);
  }
  await waitUntilGone(deleted, { cluster, tools, labelled: false });
  return existing;
}

function requireNoOtherOwner({ path }: Hook, { kind, name }: ObjectRef, live: KubeObject, owner: Owner): void {
  const other = otherOwner(live, owner);
  if (other === undefined) return;
  const described = `${kind} ${JSON.stringify(name)} in namespace ${JSON.stringify(live.metadata.namespace ?? '')}`;
  throw new OperationError(
    'ownership_conflict',
    `hook ${path}: ${described} exists and belongs to release ${other.name} in namespace ${other.namespace}`,
  );
}

/**
 * Deletes hooks after a failure, even if the operation has timed out. A failure to delete them is
 * only reported.
 */
async function deleteAfterFailure(
  context: OperationContext,
  failed: HookRun,
  ended: readonly HookRun[],
  tools: StepTools,
): Promise<void> {
  const limit = timeLimit(cleanupTimeout, [context.abandon]);
  const ownTools = { ...tools, signal: limit.signal };
  try {
    await deleteApplied(context, failed, 'hook-failed', ownTools);
    for (const run of ended) await deleteApplied(context, run, 'hook-succeeded', ownTools);
  } catch (error) {
    tools.report({ message: `could not delete hooks: ${messageOf(error)}` });
  } finally {
    limit.close();
  }
}

/** Deletes the objects that this run of a hook has applied, if the policy says so. */
async function deleteApplied(
  { cluster }: OperationContext,
  { hook, applied }: HookRun,
  policy: string,
  tools: StepTools,
): Promise<void> {
  if (!hasPolicy(hook, policy)) return;
  const deleted: SeenObject[] = [];
  const options = { signal: tools.signal, onLeft: (message: string) => tools.report({ message }) };
  for (const object of applied) {
    if (isDefinition(object.ref) || (isNamespace(object.ref) && !object.isNew)) continue;
    if (await deleteSeen(cluster, object, options)) deleted.push(object);
  }
  await waitUntilGone(deleted, { cluster, tools, labelled: false });
}

/** Whether a hook has a policy. The default is Helm's. */
function hasPolicy({ delete_policies: policies = [] }: Hook, policy: string): boolean {
  return policies.length === 0 ? policy === defaultPolicy : policies.includes(policy);
}

/** Whether an object is a CRD. Helm never deletes a hook's, because all its objects would go. */
function isDefinition({ apiVersion, kind }: ObjectRef): boolean {
  return kind === 'CustomResourceDefinition' && groupOf(apiVersion) === 'apiextensions.k8s.io';
}

function isNamespace({ apiVersion, kind }: ObjectRef): boolean {
  return kind === 'Namespace' && groupOf(apiVersion) === '';
}

/** Stores that a hook runs. As in Helm, a failure to store it does not end the operation. */
async function record(
  { storage }: OperationContext,
  state: HookedRevision,
  hook: Hook,
  execution: HookExecution,
  tools: StepTools,
): Promise<void> {
  setExecution(state, hook, execution);
  try {
    state.revision = await updateRevision(storage, state.revision, tools.signal);
  } catch (error) {
    tools.signal.throwIfAborted();
    tools.report({ message: `could not store the run of hook ${hook.path}: ${messageOf(error)}` });
  }
}

function executionOf({ revision }: HookedRevision, hook: Hook): HookExecution {
  return revision.release.hooks?.find((other) => isSame(hook, other))?.last_run ?? hook.last_run;
}

/** Changes the run of a hook, and its policies to those that apply, as Helm stores them. */
function setExecution(state: HookedRevision, hook: Hook, execution: HookExecution): void {
  const { release } = state.revision;
  const { delete_policies: policies = [] } = hook;
  const changes = { last_run: execution, delete_policies: policies.length === 0 ? [defaultPolicy] : policies };
  const hooks = (release.hooks ?? []).map((other) => (isSame(hook, other) ? { ...other, ...changes } : other));
  state.revision = { ...state.revision, release: { ...release, hooks } };
}

function isSame(hook: Hook, other: Hook): boolean {
  return other.path === hook.path && other.kind === hook.kind && other.name === hook.name;
}
