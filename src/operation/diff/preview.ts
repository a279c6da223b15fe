import { messageOf } from '../../errors/index.ts';
import type { Cluster } from '../../objects/cluster.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { originals, type ReleaseChange } from '../apply/apply.ts';
import { applyStrategy } from '../apply/apply-strategy.ts';
import { forEach } from '../apply/concurrency.ts';
import { needsMigration } from '../apply/field-ownership.ts';
import { otherOwner, type Owner, ownershipProblems } from '../apply/ownership.ts';
import { requireNoOtherOwner } from '../apply/ownership-check.ts';
import { isOnlyUpdateRefused } from '../apply/recreate.ts';
import { type ReleaseObject, subtractObjects } from '../apply/release-object.ts';
import { resourcePolicy } from '../apply/resource-policy.ts';
import { type SeenObject, seenObject } from '../apply/seen-object.ts';
import type { ApplyStrategy, ApplyTools } from '../apply/strategy.ts';
import { fieldManager } from '../apply/write.ts';
import type { Redact } from '../evidence/release-redaction.ts';
import { addedObject, changedObject, difference, type ObjectDifference } from './object-changes.ts';

/** The effect that an operation would have on an object. */
export interface ObjectPreview {
  ref: ObjectRef;
  /** The live object. Undefined if there is none. */
  seen?: SeenObject;
  /** The object to apply. Undefined if it would be removed. */
  wanted?: KubeObject;
  /** Undefined if the object stays as it is. Values of Secrets are not masked. */
  difference?: ObjectDifference;
}

export interface PreviewOptions {
  /** Returns why the API server cannot be asked about an object yet. Default: it always can. */
  unchecked?: (item: ReleaseObject) => string | undefined;
  /** Replaces the secrets that the API server quotes when it refuses an object. */
  redact: Redact;
}

/**
 * Returns what applying a revision would do to each object, without doing it: sends every write as
 * a dry run, and compares the answer with the live object. The order is that of the installation,
 * with the objects that would be deleted at the end.
 */
export async function previewChange(
  change: ReleaseChange,
  tools: ApplyTools,
  options: PreviewOptions,
): Promise<ObjectPreview[]> {
  const preview = objectPreviewer(change, tools, options);
  const applied = await forEach(change.objects, preview);
  const isKept = (live: KubeObject) =>
    live.metadata.annotations?.[resourcePolicy] === 'keep' ||
    (change.onlyOwned === true && ownershipProblems(live, change.owner).length > 0);
  const removed = await previewRemovals(subtractObjects(change.old, change.objects), change.owner, tools, isKept);
  return [...applied, ...removed];
}

/** Returns the objects that would be deleted: those that exist and do not have another owner. */
export async function previewRemovals(
  objects: readonly ReleaseObject[],
  owner: Owner,
  { cluster, signal }: Pick<ApplyTools, 'cluster' | 'signal'>,
  isKept: (live: KubeObject) => boolean = () => false,
): Promise<ObjectPreview[]> {
  const found = await forEach(objects, async ({ ref }): Promise<ObjectPreview[]> => {
    const live = ref.name === '' ? undefined : await cluster.get(ref, signal);
    if (live === undefined || isKept(live) || otherOwner(live, owner) !== undefined) return [];
    return [{ ref, seen: seenObject(ref, live), difference: difference('removed', ref) }];
  });
  return found.flat();
}

function objectPreviewer(
  change: ReleaseChange,
  { cluster, signal, report }: ApplyTools,
  { unchecked = () => undefined, redact }: PreviewOptions,
): (item: ReleaseObject) => Promise<ObjectPreview> {
  const { action, adopted, owner } = change;
  const { recreate, ...settings } = change.settings;
  const tools = { cluster: dryRunCluster(cluster), signal, report };
  const isNew = action === 'install' && adopted.length === 0;
  const mergesCustomResources = action === 'install' && settings.takeOwnership === true;
  const strategy = applyStrategy(isNew ? { ...settings, forceConflicts: false } : settings, tools, {
    mergesCustomResources,
  });
  // a dry run cannot turn fields into those of server-side apply first; a patch has the same effect
  const unmigrated = applyStrategy({ method: 'csa' }, tools, { mergesCustomResources: true });
  const originalOf = originals(change);

  async function update(item: ReleaseObject, live: KubeObject): Promise<ObjectDifference | undefined> {
    const by: ApplyStrategy = settings.method === 'ssa' && needsMigration(live, fieldManager) ? unmigrated : strategy;
    const wanted = { original: originalOf(item, live), item, live };
    try {
      if (settings.takeOwnership !== true) requireNoOtherOwner(live, item.ref, owner);
      return changedObject(item.ref, live, await by.update(wanted));
    } catch (error) {
      const isRecreated = recreate === 'immutable' && (await isOnlyUpdateRefused(wanted, error, tools));
      if (isRecreated) return recreated(item, live);
      return await refused(item, error, { redact, signal });
    }
  }

  return async (item) => {
    const { ref, object: wanted } = item;
    const reason = unchecked(item);
    if (reason !== undefined) return { ref, wanted, difference: addedObject(ref, item.object, reason) };
    const live = ref.name === '' ? undefined : await cluster.get(ref, signal);
    if (live === undefined) {
      const found = await strategy.create(item).then(
        (created) => addedObject(ref, created),
        (error: unknown) => refused(item, error, { redact, signal }),
      );
      return { ref, wanted, difference: found };
    }
    const found = await update(item, live);
    return { ref, wanted, seen: seenObject(ref, live), ...(found && { difference: found }) };
  };
}

/** The server fills in the fields that the chart does not set only when it creates the object. */
function recreated({ ref, object }: ReleaseObject, live: KubeObject): ObjectDifference {
  const { fields = [] } = changedObject(ref, live, object) ?? {};
  return difference('recreated', ref, { fields: fields.filter(({ after }) => after !== undefined) });
}

/** Throws the error if it is not the API server's refusal of the object. */
async function refused(
  { ref }: ReleaseObject,
  error: unknown,
  { redact, signal }: { redact: Redact; signal: AbortSignal },
): Promise<ObjectDifference> {
  signal.throwIfAborted();
  const cause = error instanceof Error ? error.cause : undefined;
  if (hasClusterErrorCode(error, 'unreachable') || hasClusterErrorCode(cause, 'unreachable')) throw error;
  const [reason = ''] = await redact([messageOf(error)], signal);
  return difference('unknown', ref, { reason });
}

/**
 * Returns the cluster with writes that the API server only tries: it validates and admits them, and
 * returns the object that they would lead to. Deletions are left out.
 */
export function dryRunCluster(cluster: Cluster): Cluster {
  return {
    ...cluster,
    create: (object, options) => cluster.create(object, { ...options, dryRun: true }),
    replace: (object, options) => cluster.replace(object, { ...options, dryRun: true }),
    apply: (object, options) => cluster.apply(object, { ...options, dryRun: true }),
    mergePatch: (ref, patch, options) => cluster.mergePatch(ref, patch, { ...options, dryRun: true }),
    strategicMergePatch: (ref, patch, options) => cluster.strategicMergePatch(ref, patch, { ...options, dryRun: true }),
    delete: () => Promise.reject(new Error('a dry run deletes nothing')),
  };
}
