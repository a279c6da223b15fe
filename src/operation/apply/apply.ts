import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { Cluster } from '../../objects/cluster.ts';
import { failures, settleEach } from './concurrency.ts';
import { deleteLive, seenObject, type DeletionOptions } from './deletion.ts';
import type { ChangeLog } from './change-log.ts';
import { OperationError, messageOf, throwJoined, withPrefix } from '../error.ts';
import { migrateManagedFields } from './field-ownership.ts';
import { subtractObjects, type ReleaseObject } from './release-object.ts';

/** Helm's name as owner of fields. */
export const fieldManager = 'helm';

/** Annotation that keeps an object when its release no longer has it. */
export const resourcePolicy = 'helm.sh/resource-policy';

/**
 * Applies one object server-side. Throws `conflict` if another manager owns one of its fields with
 * a different value, or `apply_failed`.
 */
export async function applyObject(cluster: Cluster, item: ReleaseObject, signal: AbortSignal): Promise<KubeObject> {
  try {
    if (item.ref.name === '') return await cluster.create(item.object, { fieldManager, signal });
    return await cluster.apply(item.object, { fieldManager, signal });
  } catch (cause) {
    signal.throwIfAborted();
    const refused = hasClusterErrorCode(cause, 'conflict')
      ? 'conflict occurred while applying'
      : 'server-side apply failed for';
    throw new OperationError(
      hasClusterErrorCode(cause, 'conflict') ? 'conflict' : 'apply_failed',
      `${refused} object ${describe(item)}: ${messageOf(cause)}`,
      { cause },
    );
  }
}

/**
 * Creates the objects of a new release in order, and adjacent objects of one kind in parallel. As
 * in Helm, it continues after a failure.
 */
export async function createObjects(
  cluster: Cluster,
  objects: readonly ReleaseObject[],
  log: Pick<ChangeLog, 'applied'>,
  signal: AbortSignal,
): Promise<void> {
  const errors: unknown[] = [];
  for (const batch of batchesOfKind(objects)) {
    signal.throwIfAborted();
    const results = await settleEach(batch, async (item) => {
      log.applied(seenObject(item.ref, await applyObject(cluster, item, signal)));
    });
    errors.push(...failures(results));
  }
  throwJoined(errors, '\n');
}

/**
 * Moves a release from its old objects to new ones, one at a time, and adds to `log`. As in Helm, a
 * failed creation is thrown at once, failed changes at the end, and the objects that only the old
 * release has are deleted only if nothing failed.
 */
export async function updateObjects(
  cluster: Cluster,
  old: readonly ReleaseObject[],
  objects: readonly ReleaseObject[],
  log: ChangeLog,
  options: DeletionOptions,
): Promise<void> {
  const { signal } = options;
  const errors: unknown[] = [];
  for (const item of objects) {
    signal.throwIfAborted();
    const live = item.ref.name === '' ? undefined : await cluster.get(item.ref, signal);
    if (live === undefined) await log.creating(item.ref);
    try {
      if (live !== undefined) await migrateManagedFields(cluster, item, live, fieldManager, signal);
      log.applied(seenObject(item.ref, await applyObject(cluster, item, signal)));
    } catch (error) {
      signal.throwIfAborted();
      if (live === undefined) throw withPrefix('failed to create resource', error);
      errors.push(error);
    }
  }
  throwJoined(errors, ' && ');
  for (const item of subtractObjects(old, objects)) {
    signal.throwIfAborted();
    const error = await deleteUnwanted(cluster, item, log, options);
    if (error) errors.push(error);
  }
  throwJoined(errors, ' && ');
}

async function deleteUnwanted(
  cluster: Cluster,
  item: ReleaseObject,
  log: ChangeLog,
  options: DeletionOptions,
): Promise<OperationError | undefined> {
  const { ref } = item;
  try {
    const live = await cluster.get(ref, options.signal);
    if (live === undefined || live.metadata.annotations?.[resourcePolicy] === 'keep') return undefined;
    const deleted = await deleteLive(cluster, ref, live, options);
    if (deleted) log.deleted(deleted);
    return undefined;
  } catch (cause) {
    options.signal.throwIfAborted();
    const name = `namespace=${ref.namespace ?? ''}, name=${ref.name}, kind=${ref.kind}`;
    return new OperationError('delete_failed', `failed to delete resource ${name}: ${messageOf(cause)}`, { cause });
  }
}

/** Splits a list into runs of objects of the same kind. */
export function batchesOfKind(objects: readonly ReleaseObject[]): ReleaseObject[][] {
  const batches: ReleaseObject[][] = [];
  for (const item of objects) {
    const batch = batches.at(-1);
    if (batch?.[0]?.ref.kind === item.ref.kind) batch.push(item);
    else batches.push([item]);
  }
  return batches;
}

/**
 * Formats a kind as Go does: `apps/v1, Kind=Deployment`, or `/v1, Kind=Service` for the core group.
 */
function describe({ ref: { apiVersion, kind, namespace = '', name } }: ReleaseObject): string {
  const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  return `${namespace}/${name} ${groupVersion}, Kind=${kind}`;
}
