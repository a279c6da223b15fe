import type { KubeObject, OwnerReference } from '../../objects/object.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { foregroundFinalizer, orphanFinalizer } from '../cluster/deletion.ts';
import type { ResourceType } from '../store/resource-type.ts';
import type { StoreEvent } from '../store/store.ts';

interface Item {
  collection: string;
  namespace: string;
  name: string;
}

/**
 * Starts a garbage collector. Like Kubernetes', it deletes dependents after their last owner
 * (background), before it (foreground), or orphans them.
 */
export function startGarbageCollector(state: ClusterState): { stop: () => void } {
  const items = new Map<string, Item>(); // all objects, by uid
  // Uids of the dependents, by the uid of the owner.
  const dependents = new Map<string, Set<string>>();
  const pending = new Set<string>();
  let scheduled: NodeJS.Immediate | undefined;

  const enqueue = (uid: string): void => {
    pending.add(uid);
    scheduled ??= setImmediate(drain);
  };

  const drain = (): void => {
    scheduled = undefined;
    const work = [...pending];
    pending.clear();
    for (const uid of work) collect(uid);
  };

  const find = (uid: string): { type: ResourceType; object: KubeObject } | undefined => {
    const item = items.get(uid);
    const type = item && state.registry.byCollection(item.collection);
    const object = item && state.store.get(item.collection, item.namespace, item.name);
    return type && object?.metadata.uid === uid ? { type, object } : undefined;
  };

  const collect = (uid: string): void => {
    const found = find(uid);
    if (!found) return;
    const { type, object } = found;
    const owned = [...(dependents.get(uid) ?? [])].flatMap((dependent) => find(dependent) ?? []);
    const { finalizers = [], deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined && finalizers.includes(orphanFinalizer)) {
      for (const dependent of owned) dropOwners(dependent, (owner) => owner.uid === uid);
      dropFinalizer(type, object, orphanFinalizer);
    } else if (deletionTimestamp !== undefined && finalizers.includes(foregroundFinalizer)) {
      for (const dependent of owned) remove(dependent, 'Foreground');
      if (!owned.some((dependent) => blocksDeletionOf(dependent.object, uid)))
        dropFinalizer(type, object, foregroundFinalizer);
    } else {
      collectUnowned(type, object);
    }
  };

  const collectUnowned = (type: ResourceType, object: KubeObject): void => {
    const owners = object.metadata.ownerReferences ?? [];
    const isGone = (owner: OwnerReference): boolean => find(owner.uid) === undefined;
    if (owners.length === 0 || !owners.some(isGone)) return;
    if (owners.every(isGone)) remove({ type, object }, 'Background');
    else dropOwners({ type, object }, isGone);
  };

  const remove = ({ type, object }: { type: ResourceType; object: KubeObject }, policy: string): void => {
    const { uid = '', name, namespace = '', deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined) return;
    const propagationPolicy = policy === 'Foreground' && dependents.has(uid) ? 'Foreground' : 'Background';
    state.objects.remove(type, namespace, name, { propagationPolicy });
  };

  const dropOwners = (
    { type, object }: { type: ResourceType; object: KubeObject },
    isDropped: (owner: OwnerReference) => boolean,
  ): void => {
    state.objects.update(type, object.metadata.namespace ?? '', object.metadata.name, (current) => {
      current.metadata.ownerReferences = (current.metadata.ownerReferences ?? []).filter((owner) => !isDropped(owner));
      return current;
    });
  };

  const dropFinalizer = (type: ResourceType, object: KubeObject, finalizer: string): void => {
    state.objects.update(type, object.metadata.namespace ?? '', object.metadata.name, (current) => {
      current.metadata.finalizers = (current.metadata.finalizers ?? []).filter((name) => name !== finalizer);
      return current;
    });
  };

  const onEvent = ({ type, collection, object, previous }: StoreEvent): void => {
    const { uid = '', namespace = '', name } = object.metadata;
    for (const owner of previous?.metadata.ownerReferences ?? []) dependents.get(owner.uid)?.delete(uid);
    if (type === 'DELETED') {
      items.delete(uid);
      for (const dependent of dependents.get(uid) ?? []) enqueue(dependent);
      dependents.delete(uid);
      for (const owner of object.metadata.ownerReferences ?? []) enqueue(owner.uid);
      return;
    }
    items.set(uid, { collection, namespace, name });
    for (const owner of object.metadata.ownerReferences ?? []) {
      const owned = dependents.get(owner.uid) ?? new Set();
      dependents.set(owner.uid, owned.add(uid));
      if (type === 'ADDED') enqueue(uid);
    }
    if (object.metadata.deletionTimestamp !== undefined) enqueue(uid);
  };

  const unsubscribe = state.store.subscribe(onEvent);
  return {
    stop() {
      unsubscribe();
      clearImmediate(scheduled);
    },
  };
}

function blocksDeletionOf(object: KubeObject, owner: string): boolean {
  return (object.metadata.ownerReferences ?? []).some(
    ({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion === true,
  );
}
