import type { KubeObject } from '../../objects/object.ts';
import type { Cluster } from '../../objects/cluster.ts';
import { failures, settleEach } from './concurrency.ts';
import { OperationError } from '../error.ts';
import { hasCode, messageOf, throwJoined, withPrefix } from '../error-code.ts';
import { takeOverFields } from './field-ownership.ts';
import { without, type Target } from './target.ts';

/** Under this name Helm's fields are kept apart from those of others. */
export const fieldManager = 'helm';

/** With the value `keep`, an object outlives its release. */
export const resourcePolicy = 'helm.sh/resource-policy';

/** Applies one object server-side. Throws `conflict` where another manager owns one of its fields with another value, else `apply_failed`. */
export async function applyObject(cluster: Cluster, target: Target, signal: AbortSignal): Promise<KubeObject> {
  try {
    if (target.ref.name === '') return await cluster.create(target.object, { fieldManager, signal });
    return await cluster.apply(target.object, { fieldManager, signal });
  } catch (cause) {
    signal.throwIfAborted();
    const refused = hasCode(cause, 'conflict') ? 'conflict occurred while applying' : 'server-side apply failed for';
    throw new OperationError(
      hasCode(cause, 'conflict') ? 'conflict' : 'apply_failed',
      `${refused} object ${describe(target)}: ${messageOf(cause)}`,
      { cause },
    );
  }
}

/**
 * Creates the objects of an installation in their order: those of a kind that follow one another at the same time. As in Helm, a failure
 * does not stop what follows.
 */
export async function createObjects(cluster: Cluster, targets: readonly Target[], signal: AbortSignal): Promise<void> {
  const errors: unknown[] = [];
  for (const batch of batchesOfKind(targets)) {
    signal.throwIfAborted();
    errors.push(...failures(await settleEach(batch, (target) => applyObject(cluster, target, signal))));
  }
  throwJoined(errors, '\n');
}

export interface Update {
  created: Target[];
  deleted: Target[];
}

/**
 * Moves a release from its old objects to new ones, one after the other. As in Helm, a failed creation ends it, failed changes are collected, and what is
 * no longer wanted is only removed where nothing failed. `update` is filled as it goes.
 */
export async function updateObjects(
  cluster: Cluster,
  old: readonly Target[],
  targets: readonly Target[],
  update: Update,
  signal: AbortSignal,
): Promise<void> {
  const errors: unknown[] = [];
  for (const target of targets) {
    signal.throwIfAborted();
    const live = target.ref.name === '' ? undefined : await cluster.get(target.ref, signal);
    if (live === undefined) update.created.push(target);
    try {
      if (live !== undefined) await takeOverFields(cluster, target, live, fieldManager, signal);
      await applyObject(cluster, target, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (live === undefined) throw withPrefix('failed to create resource', error);
      errors.push(error);
    }
  }
  throwJoined(errors, ' && ');
  for (const target of without(old, targets)) {
    signal.throwIfAborted();
    const error = await removeUnwanted(cluster, target, update, signal);
    if (error) errors.push(error);
  }
  throwJoined(errors, ' && ');
}

async function removeUnwanted(
  cluster: Cluster,
  target: Target,
  update: Update,
  signal: AbortSignal,
): Promise<OperationError | undefined> {
  const { ref } = target;
  try {
    const live = await cluster.get(ref, signal);
    const isKept = live?.metadata.annotations?.[resourcePolicy] === 'keep';
    if (live !== undefined && !isKept && (await cluster.delete(ref, { signal }))) update.deleted.push(target);
    return undefined;
  } catch (cause) {
    signal.throwIfAborted();
    const place = `namespace=${ref.namespace ?? ''}, name=${ref.name}, kind=${ref.kind}`;
    return new OperationError('delete_failed', `failed to delete resource ${place}: ${messageOf(cause)}`, { cause });
  }
}

/** Runs of targets of the same kind. */
export function batchesOfKind(targets: readonly Target[]): Target[][] {
  const batches: Target[][] = [];
  for (const target of targets) {
    const batch = batches.at(-1);
    if (batch?.[0]?.ref.kind === target.ref.kind) batch.push(target);
    else batches.push([target]);
  }
  return batches;
}

/** As Go prints a kind: `apps/v1, Kind=Deployment`, and `/v1, Kind=Service` for the core group. */
function describe({ ref: { apiVersion, kind, namespace = '', name } }: Target): string {
  const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  return `${namespace}/${name} ${groupVersion}, Kind=${kind}`;
}
