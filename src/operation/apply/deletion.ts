import type { Cluster } from '../../objects/cluster.ts';
import { identityOf } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { isUnlabelled, otherOwner, type Owner, ownershipProblems } from './ownership.ts';
import { type SeenObject, seenObject } from './seen-object.ts';

export interface DeletionOptions {
  /** The release that deletes. */
  owner: Owner;
  /** Whether objects without the metadata of the owner are left. Default: false. */
  onlyOwned?: boolean;
  /** Called for an object that is not deleted because it is not the release's. */
  onLeft: (message: string) => void;
  /** Objects that are not deleted, because they existed before the release. Default: none. */
  retained?: readonly SeenObject[];
  /** Treatment of dependents, such as pods. Default: `Background`. */
  propagation?: 'Background' | 'Foreground' | 'Orphan';
  signal: AbortSignal;
}

/**
 * Deletes the object that has this name now, unless it belongs to another release. Returns the
 * deleted object, or undefined if nothing was deleted.
 *
 * Helm deletes by name alone (pkg/kube/client.go, deleteResource). Here the request carries the uid
 * of the object that was read, so that an object that takes the name in between is left.
 */
export async function deleteByName(
  cluster: Cluster,
  ref: ObjectRef,
  options: DeletionOptions,
): Promise<SeenObject | undefined> {
  const live = await cluster.get(ref, options.signal);
  return live && (await deleteLive(cluster, ref, live, options));
}

/** Does the same as {@link deleteByName} for an object that was just read. */
export async function deleteLive(
  cluster: Cluster,
  ref: ObjectRef,
  live: KubeObject,
  { owner, onlyOwned = false, retained = [], ...options }: DeletionOptions,
): Promise<SeenObject | undefined> {
  const other = otherOwner(live, owner);
  if (other !== undefined) {
    options.onLeft(`left ${describeRef(ref)}: it belongs to release ${other.name} in namespace ${other.namespace}`);
    return undefined;
  }
  if (onlyOwned && ownershipProblems(live, owner).length > 0) {
    options.onLeft(`left ${describeRef(ref)}: it does not have the metadata of ${owner.name}`);
    return undefined;
  }
  const seen = seenObject(ref, live);
  if (retained.some(({ ref: other, uid }) => uid === seen.uid && identityOf(other) === identityOf(ref))) {
    options.onLeft(`left ${describeRef(ref)}: it existed before the release`);
    return undefined;
  }
  if (!(await deleteSeen(cluster, seen, options))) return undefined;
  return isUnlabelled(live) ? { ...seen, isUnlabelled: true } : seen;
}

/** Deletes an object if it is still the one that was seen. Returns whether it was deleted. */
export async function deleteSeen(
  cluster: Cluster,
  { ref, uid }: SeenObject,
  { onLeft, signal, propagation }: Omit<DeletionOptions, 'owner'>,
): Promise<boolean> {
  if (await cluster.delete(ref, { signal, ...(uid !== undefined && { uid }), ...(propagation && { propagation }) }))
    return true;
  const next = uid === undefined ? undefined : await cluster.get(ref, signal);
  if (next !== undefined) onLeft(`left ${describeRef(ref)}: it is another object with the same name`);
  return false;
}

function describeRef({ kind, namespace, name }: ObjectRef): string {
  const place = namespace === undefined ? '' : ` in namespace ${JSON.stringify(namespace)}`;
  return `${kind} ${JSON.stringify(name)}${place}`;
}
