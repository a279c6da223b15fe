import { messageOf } from '../../errors/index.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { identityOf } from '../../objects/group-kind.ts';
import type { KubeObject } from '../../objects/object.ts';
import { OperationError, throwJoined, withPrefix } from '../error.ts';
import { type ApplySettings, checkApplySettings } from './apply-settings.ts';
import { applyStrategy } from './apply-strategy.ts';
import { failures, forEach, settleEach } from './concurrency.ts';
import { deleteLive } from './deletion.ts';
import { type Owner, ownershipProblems } from './ownership.ts';
import { requireNoOtherOwner } from './ownership-check.ts';
import { readObjects } from './read-objects.ts';
import { type ReleaseObject, subtractObjects } from './release-object.ts';
import { resourcePolicy } from './resource-policy.ts';
import { type ChangeLog, type SeenObject, seenObject } from './seen-object.ts';
import type { ApplyStrategy, ApplyTools } from './strategy.ts';
import { isFieldConflict, throwIfEnded } from './write.ts';

/** Attempts to change an object that others change or replace at the same time. */
const maxAttempts = 5;

/** The objects of a revision, and what is known about those before it. */
export interface ReleaseChange {
  action: 'install' | 'upgrade' | 'rollback';
  settings: ApplySettings;
  owner: Owner;
  objects: readonly ReleaseObject[];
  /** The objects that were applied before. Those that only it has are deleted. */
  old: readonly ReleaseObject[];
  /** How the old objects were applied. Undefined for a revision of Helm 3. */
  oldMethod: string | undefined;
  /** Existing objects that were not part of the release and become part of it. */
  adopted: readonly SeenObject[];
  /** Whether old objects without the metadata of the owner are left. Default: false. */
  onlyOwned?: boolean;
}

/**
 * Brings the objects of a revision to the cluster and adds to `log`. Does what Helm does
 * (pkg/action): a release that adopts nothing is created, and any other updated.
 */
export async function applyRelease(change: ReleaseChange, log: ChangeLog, tools: ApplyTools): Promise<void> {
  const { action, adopted, oldMethod, settings } = change;
  if (action === 'install' && adopted.length === 0) {
    const strategy = applyStrategy({ ...settings, forceConflicts: false }, tools);
    await createObjects(strategy, change, log, tools);
    return;
  }
  checkApplySettings(settings);
  const strategy = applyStrategy(settings, tools, {
    migrate: action !== 'upgrade' || oldMethod !== 'ssa',
    mergesCustomResources: action === 'install' && settings.takeOwnership === true,
  });
  await updateObjects(strategy, change, log, tools);
}

/**
 * Creates the objects of a new release in order, and adjacent objects of one kind in parallel. As
 * in Helm, it continues after a failure.
 */
async function createObjects(
  strategy: ApplyStrategy,
  { objects, owner }: ReleaseChange,
  log: Pick<ChangeLog, 'applied'>,
  { cluster, signal }: ApplyTools,
): Promise<void> {
  const create = async (item: ReleaseObject): Promise<KubeObject> => {
    try {
      return await strategy.create(item);
    } catch (error) {
      throwIfEnded(error, signal);
      if (!(error instanceof Error) || !hasClusterErrorCode(error.cause, 'already_exists')) throw error;
      // an earlier attempt may have created it
      const live = await cluster.get(item.ref, signal);
      if (live === undefined || ownershipProblems(live, owner).length > 0) throw error;
      return strategy.update({ original: item.object, item, live });
    }
  };
  const errors: unknown[] = [];
  for (const batch of batchesOfKind(objects)) {
    // the errors say more than the reason
    if (errors.length === 0) signal.throwIfAborted();
    if (signal.aborted) break;
    const results = await settleEach(batch, async (item) => {
      const created = await create(item);
      log.applied(seenObject(item.ref, created), created);
    });
    errors.push(...failures(results));
  }
  throwJoined(errors, '\n');
}

/**
 * Moves a release from its old objects to new ones in order, and adjacent objects of one kind in
 * parallel. As in Helm, nothing after an object that cannot be created is changed, a failed change
 * is thrown at the end, and the objects that only the old release has are deleted only if nothing
 * failed.
 */
async function updateObjects(
  strategy: ApplyStrategy,
  change: ReleaseChange,
  log: ChangeLog,
  tools: ApplyTools,
): Promise<void> {
  const { old, objects, settings } = change;
  const originalOf = originals(change);
  // one may be changed long after it was read
  const refs = objects.map(({ ref }) => ref).filter(({ name }) => name !== '');
  const options = { signal: tools.signal, metadataOnly: settings.method === 'ssa' };
  const read = await readObjects(tools.cluster, refs, options);
  const brought = new Set<string>();
  const bring = async (item: ReleaseObject) => {
    const identity = identityOf(item.ref);
    const isAgain = brought.has(identity) && item.ref.name !== '';
    brought.add(identity);
    const live = isAgain ? await tools.cluster.get(item.ref, tools.signal) : read.get(identity);
    return bringObject(strategy, { item, live }, originalOf, change, log, tools);
  };
  const isNew = ({ ref }: ReleaseObject) => !read.has(identityOf(ref));
  await eachBatch(objects, tools.signal, afterCreations(isNew, bring));
  await eachBatch(subtractObjects(old, objects), tools.signal, (item) => deleteUnwanted(item, change, log, tools));
}

/**
 * Returns a function that brings an object to the cluster after all new ones that it was called for
 * before. Rejects if one of them could not be created.
 */
function afterCreations(
  isNew: (item: ReleaseObject) => boolean,
  bring: (item: ReleaseObject) => Promise<unknown>,
): (item: ReleaseObject) => Promise<unknown> {
  let creation: Promise<unknown> = Promise.resolve();
  return (item) => {
    const brought = creation.then(() => bring(item));
    if (isNew(item)) creation = brought;
    return brought;
  };
}

/** Calls `run` for all objects, and throws the errors that it returns when it is done. */
async function eachBatch(
  objects: readonly ReleaseObject[],
  signal: AbortSignal,
  run: (item: ReleaseObject) => Promise<unknown>,
): Promise<void> {
  const errors: unknown[] = [];
  for (const batch of batchesOfKind(objects)) {
    signal.throwIfAborted();
    const found = await forEach(batch, run);
    errors.push(...found.filter((error) => error !== undefined));
  }
  throwJoined(errors, ' && ');
}

/**
 * Returns a function that says what was applied before. For an object that only the cluster has,
 * that is the live object (pkg/kube/client.go, update).
 */
export function originals({ old, adopted }: ReleaseChange): (item: ReleaseObject, live: KubeObject) => KubeObject {
  const known = new Map(old.map(({ ref, object }) => [identityOf(ref), object]));
  const isAdopted = new Set(adopted.map(({ ref }) => identityOf(ref)));
  return (item, live) => {
    const identity = identityOf(item.ref);
    return known.get(identity) ?? (isAdopted.has(identity) ? item.object : live);
  };
}

/** Creates or changes an object. Returns the error if it exists and cannot be changed. */
async function bringObject(
  strategy: ApplyStrategy,
  { item, live: firstLive }: { item: ReleaseObject; live?: KubeObject | undefined },
  originalOf: ReturnType<typeof originals>,
  { owner, settings }: ReleaseChange,
  log: ChangeLog,
  { cluster, signal }: ApplyTools,
): Promise<unknown> {
  const { ref } = item;
  if (ref.name === '') throw withoutName();
  for (let attempt = 1; ; attempt++) {
    const live = attempt === 1 ? firstLive : await cluster.get(ref, signal);
    try {
      if (live === undefined) await log.creating(ref);
      else if (settings.takeOwnership !== true) requireNoOtherOwner(live, ref, owner);
      const applied =
        live === undefined
          ? await strategy.create(item)
          : await strategy.update({ original: originalOf(item, live), item, live });
      log.applied(seenObject(ref, applied), applied);
      return undefined;
    } catch (error) {
      throwIfEnded(error, signal);
      const isOld = attempt < maxAttempts && isReplacedMeanwhile(error);
      if (live === undefined && !isOld) throw withPrefix('failed to create resource', error);
      if (!isOld) return error;
    }
  }
}

/** Objects with only `generateName` cannot be updated. The message is Helm's. */
function withoutName(): OperationError {
  const message = 'could not get information about the resource: resource name may not be empty';
  return new OperationError('apply_failed', message);
}

/** Whether a write failed because the object is no longer as it was read. */
function isReplacedMeanwhile(error: unknown): boolean {
  if (!(error instanceof OperationError)) return false;
  return (error.code === 'conflict' && !isFieldConflict(error)) || hasClusterErrorCode(error.cause, 'already_exists');
}

async function deleteUnwanted(
  item: ReleaseObject,
  { owner, onlyOwned = false }: ReleaseChange,
  log: ChangeLog,
  { cluster, signal, report }: ApplyTools,
): Promise<OperationError | undefined> {
  const { ref } = item;
  const onLeft = (message: string) => {
    report({ message });
  };
  try {
    const live = await cluster.get(ref, signal);
    if (live === undefined || live.metadata.annotations?.[resourcePolicy] === 'keep') return undefined;
    const deleted = await deleteLive(cluster, ref, live, { owner, onlyOwned, onLeft, signal });
    if (deleted) log.deleted(deleted);
    return undefined;
  } catch (cause) {
    signal.throwIfAborted();
    const name = `namespace=${ref.namespace ?? ''}, name=${ref.name}, kind=${ref.kind}`;
    return new OperationError('delete_failed', `failed to delete resource ${name}: ${messageOf(cause)}`, { cause });
  }
}

/** Splits a list into runs of objects of the same kind. No run has the same object twice. */
export function batchesOfKind(objects: readonly ReleaseObject[]): ReleaseObject[][] {
  const batches: ReleaseObject[][] = [];
  let identities = new Set<string>();
  for (const item of objects) {
    const batch = batches.at(-1);
    const identity = identityOf(item.ref);
    if (batch === undefined || batch[0]?.ref.kind !== item.ref.kind || identities.has(identity)) {
      batches.push([item]);
      identities = new Set();
    } else {
      batch.push(item);
    }
    identities.add(identity);
  }
  return batches;
}
