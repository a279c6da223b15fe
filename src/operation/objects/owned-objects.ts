import { messageOf } from '../../errors/index.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { OperationContext } from '../context.ts';

/** Kinds whose objects controllers create for the objects of a release. */
const ownedKinds = [
  { apiVersion: 'batch/v1', kind: 'Job' },
  { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
  { apiVersion: 'v1', kind: 'Pod' },
  { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
] as const;

/**
 * Returns the metadata of the Jobs, ReplicaSets and pods that objects own, directly or through each
 * other, by uid. Adds to `missing` which kinds cannot be read.
 */
export async function ownedUids(
  { cluster, signal }: Pick<OperationContext, 'cluster' | 'signal'>,
  namespace: string,
  owners: Iterable<string>,
  missing: string[],
): Promise<Set<string>> {
  const uids = new Set(owners);
  for (const kind of ownedKinds) {
    const objects = await cluster
      .list({ ...kind, namespace, metadataOnly: true }, signal)
      .catch((error: unknown): KubeObject[] => {
        if (!hasClusterErrorCode(error, 'forbidden')) throw error;
        missing.push(messageOf(error));
        return [];
      });
    for (const { metadata } of objects) {
      const isOwned = metadata.ownerReferences?.some(({ uid }) => uids.has(uid)) ?? false;
      if (isOwned && metadata.uid !== undefined) uids.add(metadata.uid);
    }
  }
  return uids;
}
