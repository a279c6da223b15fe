import { messageOf } from '../../errors/index.ts';
import type { Cluster } from '../../objects/cluster.ts';
import { identityOf } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import type { Release } from '../../release/release.ts';
import { compareForUninstall } from '../../render/manifest/kind-order.ts';
import { batchesOfKind } from '../apply/apply.ts';
import { failures, settleEach } from '../apply/concurrency.ts';
import { deleteByName, deleteLive, type DeletionOptions } from '../apply/deletion.ts';
import { readObjects } from '../apply/read-objects.ts';
import { type ReleaseObject, resolveReleaseObjects, subtractObjects } from '../apply/release-object.ts';
import { resourcePolicy } from '../apply/resource-policy.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import { isManifestSet } from '../manifests/manifest-set.ts';
import type { UninstallRequest } from '../request.ts';
import { type ChangeRecord, recordChanges } from '../state/object-changes.ts';
import { type OperationState, revisionOf, withRevision } from '../state/operation-state.ts';
import { ownRevision, type Work } from '../work.ts';
import { baselineObjects } from './deploy.ts';
import type { StateTools } from './step.ts';

/** Start of errors about a manifest whose objects are deleted. */
export const buildFailed = 'unable to build kubernetes objects for delete';

const propagations = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;

/** Deletes the objects of a release, except for those with a resource policy. */
export async function deleteRelease(
  state: OperationState,
  work: Work<UninstallRequest>,
  tools: StateTools,
): Promise<OperationState> {
  const { context } = work;
  const { signal } = tools;
  await context.cluster.capabilities(signal); // kinds that are no longer served would look deleted
  const { release } = await ownRevision(work, state, signal);
  const { kept, removed } = await keptAndRemoved(work, state, release, signal);
  const { changes, spared: retained } = revisionOf(state);
  const log = recordChanges(changes);
  try {
    const onLeft = (message: string) => tools.report({ message });
    const propagation = propagations[work.request.cascade ?? 'background'];
    const owner = { name: state.releaseName, namespace: state.namespace };
    const options = {
      owner,
      onlyOwned: isManifestSet(release),
      onLeft,
      propagation,
      signal,
      ...(retained && { retained }),
    };
    await deleteObjects(context, removed, log, options);
  } finally {
    tools.keep(withRevision(state, { changes: log.changes() }));
  }
  tools.done(`${removed.length} deleted${kept.length === 0 ? '' : `, ${kept.length} kept`}`);
  const listed = kept.filter(({ object }) => isKeepPolicy(object.metadata.annotations?.[resourcePolicy] ?? ''));
  return withRevision(state, { changes: log.changes(), kept: listed.map(({ ref }) => ref) });
}

/** Returns Helm's message about the objects that were kept. Empty if there are none. */
export function keptText(kept: readonly ObjectRef[]): string {
  if (kept.length === 0) return '';
  const lines = kept.map(({ kind, name }) => `[${kind}] ${name}\n`);
  return `These resources were kept due to the resource policy:\n${lines.join('')}`;
}

/** Returns the objects that an uninstallation deletes, in the order in which it does. */
export async function removedObjects(
  state: OperationState,
  work: Work<unknown>,
  signal: AbortSignal,
): Promise<ReleaseObject[]> {
  const { release } = await ownRevision(work, state, signal);
  return (await keptAndRemoved(work, state, release, signal)).removed;
}

/**
 * Separates objects with a resource policy, and sorts both for the deletion. As in Helm, any value
 * of the policy keeps an object, but only those with the policy `keep` are listed
 * (pkg/action/resource_policy.go).
 */
async function keptAndRemoved(
  work: Work<unknown>,
  state: OperationState,
  { manifest, namespace }: Release,
  signal: AbortSignal,
): Promise<{ kept: ReleaseObject[]; removed: ReleaseObject[] }> {
  const options = { prefix: buildFailed, signal, versions: 'any served' } as const;
  const own = await resolveReleaseObjects(work.context, manifest, namespace, options);
  const others = subtractObjects(await baselineObjects(work, state, signal), own);
  const named = [...own, ...others]
    .filter(({ ref }) => ref.name !== '')
    .sort((a, b) => compareForUninstall(a.ref.kind, b.ref.kind));
  const isKept = ({ object }: ReleaseObject) => object.metadata.annotations?.[resourcePolicy] !== undefined;
  return { kept: named.filter(isKept), removed: named.filter((item) => !isKept(item)) };
}

function isKeepPolicy(value: string): boolean {
  return value.trim().toLowerCase() === 'keep';
}

/** Deletes objects of one kind in parallel. Returns the errors. */
async function deleteBatch(
  cluster: Cluster,
  batch: readonly ReleaseObject[],
  log: ChangeRecord,
  options: DeletionOptions,
): Promise<unknown[]> {
  const found = await readBatch(cluster, batch, options.signal);
  const results = await settleEach(batch, async ({ ref }) => {
    const live = found?.get(identityOf(ref));
    const deleted =
      found === undefined
        ? await deleteByName(cluster, ref, options)
        : live && (await deleteLive(cluster, ref, live, options));
    if (deleted) log.deleted(deleted);
  });
  return failures(results);
}

/** Returns undefined if one of them cannot be read: then each is read before its deletion. */
async function readBatch(
  cluster: Cluster,
  batch: readonly ReleaseObject[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, KubeObject> | undefined> {
  if (batch.length === 1) return undefined;
  const refs = batch.map(({ ref }) => ref);
  try {
    return await readObjects(cluster, refs, { signal, metadataOnly: true });
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/**
 * Deletes objects in order, and adjacent objects of one kind in parallel. As in Helm, it continues
 * after a failure.
 */
async function deleteObjects(
  { cluster }: OperationContext,
  objects: readonly ReleaseObject[],
  log: ChangeRecord,
  options: DeletionOptions,
): Promise<void> {
  const { signal, owner } = options;
  const errors: unknown[] = [];
  for (const batch of batchesOfKind(objects)) {
    signal.throwIfAborted();
    errors.push(...(await deleteBatch(cluster, batch, log, options)));
  }
  signal.throwIfAborted();
  if (errors.length === 0) return;
  const message = `failed to delete release: ${owner.name}: ${errors.map(messageOf).join('; ')}`;
  throw new OperationError('delete_failed', message, { cause: errors[0] });
}
