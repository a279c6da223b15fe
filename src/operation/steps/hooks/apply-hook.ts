import { messageOf } from '../../../errors/index.ts';
import type { Host } from '../../../go/host.ts';
import type { ObjectRef } from '../../../objects/object.ts';
import { steeringAnnotations } from '../../../readiness/index.ts';
import type { Hook, HookEvent } from '../../../release/hook.ts';
import type { Release } from '../../../release/release.ts';
import { formatTime } from '../../../release/time.ts';
import type { ApplyMethod } from '../../apply/apply-settings.ts';
import { applyStrategy } from '../../apply/apply-strategy.ts';
import { type ReleaseObject, resolveReleaseObjects } from '../../apply/release-object.ts';
import { seenObject } from '../../apply/seen-object.ts';
import type { ApplyStrategy } from '../../apply/strategy.ts';
import { OperationError } from '../../error.ts';
import type { AppliedObject, HookRun } from '../../state/hook-run.ts';
import type { OperationState } from '../../state/operation-state.ts';
import { ownRevision, type Work } from '../../work.ts';
import { updateRevision } from '../revisions.ts';
import type { StateTools } from '../step.ts';
import { deleteBeforeCreation, deletesBeforeCreation, requireStillThere, stopSuperseded } from './hook-objects.ts';
import { endedRun, mayVanish, runOf, withRun } from './hook-runs.ts';
import { annotatedTimeout } from './hook-timeout.ts';

/** A hook at an event. */
export interface PlacedHook {
  event: HookEvent;
  /** Index in the revision. */
  index: number;
  hook: Hook;
}

/**
 * Applies the objects of a hook, unless an interrupted run has applied them. As in Helm, a failure
 * here deletes no hooks (pkg/action/hooks.go, shutdownNoOp).
 */
export async function applyHook(
  initial: OperationState,
  work: Work<unknown>,
  placed: PlacedHook,
  tools: StateTools,
): Promise<OperationState> {
  const { context } = work;
  const { event, index, hook } = placed;
  const earlier = runOf(initial, event, index);
  if (earlier?.phase === 'waiting') {
    await requireStillThere(context, { hook, run: earlier }, tools.signal);
    return initial;
  }
  const purpose = deletesBeforeCreation(hook) ? 'deleting' : event; // Helm deletes first
  const prefix = `unable to build kubernetes object for ${purpose} hook ${hook.path}`;
  const options = { prefix, signal: tools.signal };
  const objects = await resolveReleaseObjects(context, hook.manifest, initial.namespace, options);
  const { release } = await ownRevision(work, initial, tools.signal);
  const method = methodOf(release, event);
  const run = earlier ?? (await startedRun(initial, work, placed, { objects, method }, tools));
  const named = withGeneratedNames(objects, run.names);
  const started = withRun(initial, run);
  if (earlier === undefined) await tools.save(started);
  await storeRun(started, work, hook, tools);
  let applied: AppliedObject[];
  try {
    const strategy = applyStrategy({ method }, { ...tools, cluster: context.cluster, watching: context });
    applied = await applyObjects(work, run, named, { ...tools, strategy, isResumed: earlier !== undefined });
  } catch (cause) {
    await stopSuperseded(context, run, refsOf(named), tools);
    tools.keep(withRun(started, endedRun(context.host, run, 'Failed')));
    tools.signal.throwIfAborted();
    const message = `warning: Hook ${event} ${hook.path} failed: ${messageOf(cause)}`;
    throw new OperationError('hook_failed', message, { cause });
  }
  const state = withRun(started, { ...run, phase: 'waiting', applied });
  await tools.save(state, mayVanish(hook));
  return state;
}

async function startedRun(
  state: OperationState,
  { context }: Work<unknown>,
  { event, index, hook }: PlacedHook,
  { objects, method }: { objects: readonly ReleaseObject[]; method: ApplyMethod },
  tools: StateTools,
): Promise<HookRun> {
  const owner = { name: state.releaseName, namespace: state.namespace };
  const timeout = annotatedTimeout(hook.path, objects);
  const before = await deleteBeforeCreation(context, owner, hook, objects, {
    ...tools,
    deadline: state.deadline,
  });
  // server-side apply refuses an object without a name
  const names = method === 'csa' ? generatedNames(context.host, objects) : [];
  const execution = { started_at: formatTime(context.host.now()), phase: 'Running' };
  return {
    event,
    hook: index,
    phase: 'applying',
    execution,
    before,
    applied: [],
    ...(timeout !== undefined && { timeout }),
    ...(names.some((name) => name !== '') && { names }),
  };
}

/**
 * Applies objects in order. After an interruption, an object that was not there before the run is
 * one that the run has applied.
 */
async function applyObjects(
  { context: { cluster } }: Work<unknown>,
  { before }: HookRun,
  objects: readonly ReleaseObject[],
  { signal, strategy, isResumed }: { signal: AbortSignal; strategy: ApplyStrategy; isResumed: boolean },
): Promise<AppliedObject[]> {
  const applied: AppliedObject[] = [];
  for (const item of objects) {
    const live = isResumed && item.ref.name !== '' ? await cluster.get(item.ref, signal) : undefined;
    const isOwn = live !== undefined && !before.includes(live.metadata.uid ?? '');
    const object = isOwn ? live : await strategy.create(item);
    const steering = steeringAnnotations(item.object);
    const isNew = !before.includes(object.metadata.uid ?? '');
    applied.push({ ...seenObject(item.ref, object), isNew, ...(steering && { steering }) });
  }
  return applied;
}

function refsOf(objects: readonly ReleaseObject[]): ObjectRef[] {
  return objects.map(({ ref }) => ref).filter(({ name }) => name !== '');
}

/** Returns how hooks are applied: as the objects of the revision, and server-side on uninstall. */
function methodOf({ apply_method: method }: Release, event: HookEvent): ApplyMethod {
  const isDeletion = event === 'pre-delete' || event === 'post-delete';
  return isDeletion || method === 'ssa' ? 'ssa' : 'csa';
}

/** Stores that a hook runs. As in Helm, a failure to store it does not end the operation. */
async function storeRun(state: OperationState, work: Work<unknown>, hook: Hook, tools: StateTools): Promise<void> {
  const { context, cache } = work;
  try {
    const revision = await ownRevision(work, state, tools.signal);
    const stored = await updateRevision(context.storage, revision, tools.signal);
    cache.revisions.set(stored.release.version, stored);
  } catch (error) {
    tools.signal.throwIfAborted();
    tools.report({ message: `could not store the run of hook ${hook.path}: ${messageOf(error)}` });
  }
}

/** The characters and the lengths with which the API server generates names. */
const characters = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const maxNameLength = 63;

/**
 * Returns the names of objects that have only `generateName`, as the API server would choose them;
 * empty for the others. A name that is known before the object is created lets another process find
 * the object.
 */
function generatedNames(host: Host, objects: readonly ReleaseObject[]): string[] {
  return objects.map(({ object: { metadata } }) => {
    const { name, generateName } = metadata;
    if (name !== '' || typeof generateName !== 'string') return '';
    return generateName.slice(0, maxNameLength - suffixLength) + suffix(host);
  });
}

function withGeneratedNames(objects: readonly ReleaseObject[], names: readonly string[] = []): ReleaseObject[] {
  return objects.map((item, index) => {
    const name = names[index] ?? '';
    if (name === '') return item;
    const { object, ref } = item;
    return { ...item, object: { ...object, metadata: { ...object.metadata, name } }, ref: { ...ref, name } };
  });
}

function suffix(host: Host): string {
  return Array.from(host.randomBytes(suffixLength), (byte) => characters[byte % characters.length]).join('');
}
