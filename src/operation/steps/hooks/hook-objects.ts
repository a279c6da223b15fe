import { messageOf } from '../../../errors/index.ts';
import { groupOf } from '../../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../../objects/object.ts';
import type { Hook } from '../../../release/hook.ts';
import { deleteSeen } from '../../apply/deletion.ts';
import { otherOwner, type Owner } from '../../apply/ownership.ts';
import type { ReleaseObject } from '../../apply/release-object.ts';
import { type SeenObject, seenObject } from '../../apply/seen-object.ts';
import { cancelModeOf } from '../../cancellation.ts';
import { OperationError } from '../../error.ts';
import type { Deadline } from '../../state/deadline.ts';
import { type HookRun, policiesOf } from '../../state/hook-run.ts';
import { timeLimit } from '../../time-limit.ts';
import { waitUntilGone } from '../../wait/deletion.ts';
import { waitUntilJobStarted } from '../../wait/job-start.ts';
import { limitedWait } from '../../wait/limited-wait.ts';
import type { WorkContext } from '../../work.ts';
import type { StepTools } from '../step-runner.ts';

/** Time limit for deleting hooks after a failure, in milliseconds. */
const cleanupTimeout = 30_000;

/** A hook and its run. */
export interface StartedHook {
  hook: Hook;
  run: HookRun;
}

/**
 * Deletes the objects of an earlier run if the policy says so. Returns the uids of the objects that
 * are left.
 *
 * Helm deletes by name without a check of the owner (pkg/action/hooks.go, deleteHookByPolicy). So
 * does this, except for objects of another release and for namespaces, which would take all their
 * objects with them: a hook changes a namespace in place.
 */
export async function deleteBeforeCreation(
  context: WorkContext,
  owner: Owner,
  hook: Hook,
  objects: readonly ReleaseObject[],
  { deadline, ...tools }: StepTools & { deadline: Deadline },
): Promise<string[]> {
  const { cluster } = context;
  const { signal } = tools;
  const left: string[] = [];
  const deleted: SeenObject[] = [];
  const onLeft = (message: string) => tools.report({ message });
  for (const { ref } of objects) {
    const live = ref.name === '' ? undefined : await cluster.get(ref, signal);
    if (live === undefined) continue;
    requireNoOtherOwner(hook, ref, live, owner);
    const isDeleted = hasPolicy(hook, 'before-hook-creation') && !isDefinition(ref) && !isNamespace(ref);
    const seen = seenObject(ref, live);
    if (!isDeleted) {
      left.push(seen.uid ?? '');
      continue;
    }
    await waitUntilJobStarted(ref, live, { context, tools });
    if (await deleteSeen(cluster, seen, { onLeft, signal })) deleted.push(seen);
  }
  await waitForDeletion(context, deleted, { ...tools, deadline });
  return left;
}

function requireNoOtherOwner({ path }: Hook, ref: ObjectRef, live: KubeObject, owner: Owner): void {
  const other = otherOwner(live, owner);
  if (other === undefined) return;
  const described = `${ref.kind} ${JSON.stringify(ref.name)} in namespace ${JSON.stringify(live.metadata.namespace ?? '')}`;
  throw new OperationError(
    'ownership_conflict',
    `hook ${path}: ${described} exists and belongs to release ${other.name} in namespace ${other.namespace}`,
  );
}

/**
 * Throws `hook_failed` if a Job or Pod of a run that was interrupted is gone, because then nothing
 * says whether it has succeeded.
 */
export async function requireStillThere(
  { cluster }: WorkContext,
  { hook, run }: StartedHook,
  signal: AbortSignal,
): Promise<void> {
  for (const { ref, uid } of run.applied) {
    if (ref.kind !== 'Job' && ref.kind !== 'Pod') continue;
    const live = await cluster.get(ref, signal);
    if (live !== undefined && live.metadata.uid === uid) continue;
    const described = `${ref.kind} ${JSON.stringify(ref.name)}`;
    const message = `hook ${hook.path}: ${described} was deleted while the operation was interrupted, so its outcome is unknown`;
    throw new OperationError('hook_failed', message);
  }
}

/**
 * Deletes hooks after a failure, even if the operation has timed out. A failure to delete them is
 * only reported.
 */
export async function deleteAfterFailure(
  context: WorkContext,
  failed: StartedHook,
  ended: readonly StartedHook[],
  tools: StepTools,
): Promise<void> {
  const limit = timeLimit(cleanupTimeout, [context.abandon]);
  const ownTools = { ...tools, signal: limit.signal };
  try {
    await deleteApplied(context, failed, 'hook-failed', ownTools);
    for (const started of ended) await deleteApplied(context, started, 'hook-succeeded', ownTools);
  } catch (error) {
    tools.report({ message: `could not delete hooks: ${messageOf(error)}` });
  } finally {
    limit.close();
  }
}

/**
 * Deletes the Jobs and Pods of a run if a newer command has superseded the operation, so that they
 * do not work beside those of the newer one. A failure to delete them is only reported.
 */
export async function stopSuperseded(
  context: WorkContext,
  { before }: HookRun,
  refs: readonly ObjectRef[],
  tools: StepTools,
): Promise<void> {
  const { cluster, signal, abandon } = context;
  if (!signal.aborted || cancelModeOf(signal) !== 'superseded' || abandon?.aborted === true) return;
  const limit = timeLimit(cleanupTimeout, [abandon]);
  const ownTools = { ...tools, signal: limit.signal };
  const onLeft = (message: string) => tools.report({ message });
  const stop = async (ref: ObjectRef) => {
    const live = await cluster.get(ref, limit.signal);
    if (live === undefined || before.includes(live.metadata.uid ?? '')) return;
    await waitUntilJobStarted(ref, live, { context, tools: ownTools });
    if (await deleteSeen(cluster, seenObject(ref, live), { onLeft, signal: limit.signal }))
      tools.report({ message: `stopped hook ${ref.kind} ${ref.name}: a newer command replaces this one` });
  };
  const stopping = refs
    .filter(({ kind }) => kind === 'Job' || kind === 'Pod')
    .map((ref) =>
      stop(ref).catch((error: unknown) => {
        tools.report({ message: `could not stop hook ${ref.kind} ${ref.name}: ${messageOf(error)}` });
      }),
    );
  await Promise.all(stopping);
  limit.close();
}

/** Deletes the objects that a run of a hook has applied, if the policy says so. */
export async function deleteApplied(
  context: WorkContext,
  { hook, run }: StartedHook,
  policy: string,
  tools: StepTools & { deadline?: Deadline },
): Promise<void> {
  if (!hasPolicy(hook, policy)) return;
  const deleted: SeenObject[] = [];
  const options = { signal: tools.signal, onLeft: (message: string) => tools.report({ message }) };
  for (const object of run.applied) {
    if (isDefinition(object.ref) || (isNamespace(object.ref) && !object.isNew)) continue;
    if (await deleteSeen(context.cluster, object, options)) deleted.push(object);
  }
  await waitForDeletion(context, deleted, tools);
}

async function waitForDeletion(
  context: WorkContext,
  deleted: readonly SeenObject[],
  { deadline, ...tools }: StepTools & { deadline?: Deadline },
): Promise<void> {
  if (deleted.length === 0) return;
  await limitedWait(context, deadline, tools, (own) =>
    waitUntilGone(deleted, { context, tools: own, labelled: false }),
  );
}

/** Whether an earlier run of the hook is deleted before the next one. */
export function deletesBeforeCreation(hook: Hook): boolean {
  return hook.kind !== 'CustomResourceDefinition' && hasPolicy(hook, 'before-hook-creation');
}

function hasPolicy(hook: Hook, policy: string): boolean {
  return policiesOf(hook).includes(policy);
}

/** Whether an object is a CRD. Helm never deletes a hook's, because all its objects would go. */
function isDefinition({ apiVersion, kind }: ObjectRef): boolean {
  return kind === 'CustomResourceDefinition' && groupOf(apiVersion) === 'apiextensions.k8s.io';
}

function isNamespace({ apiVersion, kind }: ObjectRef): boolean {
  return kind === 'Namespace' && groupOf(apiVersion) === '';
}
