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

interface FoundObject {
  type: ResourceType;
  object: KubeObject;
}

/**
 * Starts a garbage collector. Like Kubernetes', it deletes dependents after their last owner
 * (background), before it (foreground), or orphans them.
 */
export function startGarbageCollector(state: ClusterState): { stop: () => void } {
  const collector = new GarbageCollector(state);
  const unsubscribe = state.store.subscribe((event) => collector.observe(event));
  return {
    stop() {
      unsubscribe();
      collector.stop();
    },
  };
}

class GarbageCollector {
  readonly #state: ClusterState;
  /** All objects, by uid. */
  readonly #items = new Map<string, Item>();
  /** Uids of the dependents, by the uid of the owner. */
  readonly #dependents = new Map<string, Set<string>>();
  /** Uids of the objects to look at. */
  readonly #pending = new Set<string>();
  #scheduled: NodeJS.Immediate | undefined;

  constructor(state: ClusterState) {
    this.#state = state;
  }

  observe({ type, collection, object, previous }: StoreEvent): void {
    const { uid = '', namespace = '', name } = object.metadata;
    for (const owner of previous?.metadata.ownerReferences ?? []) this.#dependents.get(owner.uid)?.delete(uid);
    if (type === 'DELETED') {
      this.#items.delete(uid);
      for (const dependent of this.#dependents.get(uid) ?? []) this.#enqueue(dependent);
      this.#dependents.delete(uid);
      for (const owner of object.metadata.ownerReferences ?? []) this.#enqueue(owner.uid);
      return;
    }
    this.#items.set(uid, { collection, namespace, name });
    for (const owner of object.metadata.ownerReferences ?? []) {
      const owned = this.#dependents.get(owner.uid) ?? new Set();
      this.#dependents.set(owner.uid, owned.add(uid));
      if (type === 'ADDED') this.#enqueue(uid);
    }
    if (object.metadata.deletionTimestamp !== undefined) this.#enqueue(uid);
  }

  stop(): void {
    clearImmediate(this.#scheduled);
  }

  #enqueue(uid: string): void {
    this.#pending.add(uid);
    this.#scheduled ??= setImmediate(() => this.#drain());
  }

  #drain(): void {
    this.#scheduled = undefined;
    const uids = [...this.#pending];
    this.#pending.clear();
    for (const uid of uids) this.#collect(uid);
  }

  #find(uid: string): FoundObject | undefined {
    const item = this.#items.get(uid);
    const type = item && this.#state.registry.byCollection(item.collection);
    const object = item && this.#state.store.get(item.collection, item.namespace, item.name);
    return type && object?.metadata.uid === uid ? { type, object } : undefined;
  }

  #collect(uid: string): void {
    const found = this.#find(uid);
    if (!found) return;
    const owned = [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#find(dependent) ?? []);
    const { finalizers = [], deletionTimestamp } = found.object.metadata;
    if (deletionTimestamp !== undefined && finalizers.includes(orphanFinalizer)) {
      for (const dependent of owned) this.#dropOwners(dependent, (owner) => owner.uid === uid);
      this.#dropFinalizer(found, orphanFinalizer);
    } else if (deletionTimestamp !== undefined && finalizers.includes(foregroundFinalizer)) {
      for (const dependent of owned) this.#remove(dependent, 'Foreground');
      if (!owned.some(({ object }) => blocksDeletionOf(object, uid))) this.#dropFinalizer(found, foregroundFinalizer);
    } else {
      this.#collectUnowned(found);
    }
  }

  #collectUnowned(found: FoundObject): void {
    const owners = found.object.metadata.ownerReferences ?? [];
    const isGone = (owner: OwnerReference): boolean => this.#find(owner.uid) === undefined;
    if (owners.length === 0 || !owners.some(isGone)) return;
    if (owners.every(isGone)) this.#remove(found, 'Background');
    else this.#dropOwners(found, isGone);
  }

  #remove({ type, object }: FoundObject, policy: 'Foreground' | 'Background'): void {
    const { uid = '', name, namespace = '', deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined) return;
    const propagationPolicy = policy === 'Foreground' && this.#dependents.has(uid) ? 'Foreground' : 'Background';
    this.#state.objects.remove(type, namespace, name, { propagationPolicy });
  }

  #dropOwners({ type, object }: FoundObject, isDropped: (owner: OwnerReference) => boolean): void {
    this.#state.objects.update(type, object.metadata.namespace ?? '', object.metadata.name, (current) => {
      current.metadata.ownerReferences = (current.metadata.ownerReferences ?? []).filter((owner) => !isDropped(owner));
      return current;
    });
  }

  #dropFinalizer({ type, object }: FoundObject, finalizer: string): void {
    this.#state.objects.update(type, object.metadata.namespace ?? '', object.metadata.name, (current) => {
      current.metadata.finalizers = (current.metadata.finalizers ?? []).filter((name) => name !== finalizer);
      return current;
    });
  }
}

function blocksDeletionOf(object: KubeObject, owner: string): boolean {
  return (object.metadata.ownerReferences ?? []).some(
    ({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion === true,
  );
}
