import type { KubeObject } from '../../objects/object.ts';

/** One change of one object. */
export interface StoreEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  revision: number;
  collection: string;
  object: KubeObject;
  /** The object before the change; absent for `ADDED`. */
  previous?: KubeObject;
}

/**
 * Stores objects by collection, namespace and name, with one revision counter for all of them, like
 * etcd. Stored objects never change, and callers must not modify the objects that they get or
 * have put.
 */
export interface Store {
  /** Returns the revision of the last change. */
  revision(): number;
  get(collection: string, namespace: string, name: string): KubeObject | undefined;
  /** Lists objects in the order of namespace and name. Default: those of all namespaces. */
  list(collection: string, namespace?: string): KubeObject[];
  /** Stores the object with the next revision as its resourceVersion. */
  put(collection: string, object: KubeObject): KubeObject;
  /** Removes the object and returns it with the revision of the removal. */
  remove(collection: string, namespace: string, name: string): KubeObject | undefined;
  /**
   * Returns the changes of a collection after `revision`, or undefined if the history does not go
   * back that far.
   */
  since(collection: string, revision: number): StoreEvent[] | undefined;
  /** Returns the oldest revision for which `since` has the changes. */
  oldest(): number;
  /** Calls `listener` after each change, in order. Returns a function that unsubscribes. */
  subscribe(listener: (event: StoreEvent) => void): () => void;
}

/**
 * Greater than 1, so that a watch from version 1 is expired as in a cluster that has run for a
 * while.
 */
const firstRevision = 100;

/**
 * `historyLimit` is the number of changes that are kept for watches that resume from an older
 * revision.
 */
export function createStore(historyLimit: number): Store {
  /** Objects by collection, then by namespace, then by key. */
  const collections = new Map<string, Map<string, Map<string, KubeObject>>>();
  const listeners = new Set<(event: StoreEvent) => void>();
  const history: StoreEvent[] = [];
  let revision = firstRevision;
  let oldest = firstRevision;

  const store = (collection: string, namespace: string, key: string, object: KubeObject): void => {
    const namespaces = collections.get(collection) ?? new Map<string, Map<string, KubeObject>>();
    collections.set(collection, namespaces);
    const objects = namespaces.get(namespace) ?? new Map<string, KubeObject>();
    namespaces.set(namespace, objects.set(key, object));
  };

  const record = (event: StoreEvent): void => {
    history.push(event);
    if (history.length > historyLimit) oldest = history.shift()?.revision ?? oldest;
    for (const listener of listeners) listener(event);
  };

  return {
    revision: () => revision,
    get: (collection, namespace, name) => collections.get(collection)?.get(namespace)?.get(keyOf(namespace, name)),
    list(collection, namespace) {
      const namespaces = collections.get(collection);
      const listed = namespace === undefined ? [...(namespaces?.values() ?? [])] : [namespaces?.get(namespace) ?? []];
      const entries = listed.flatMap((objects) => [...objects]);
      return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    },
    put(collection, object) {
      const { namespace = '', name } = object.metadata;
      const key = keyOf(namespace, name);
      const previous = collections.get(collection)?.get(namespace)?.get(key);
      revision++;
      const stored = withResourceVersion(object, revision);
      store(collection, namespace, key, stored);
      record({
        type: previous ? 'MODIFIED' : 'ADDED',
        revision,
        collection,
        object: stored,
        ...(previous && { previous }),
      });
      return stored;
    },
    remove(collection, namespace, name) {
      const objects = collections.get(collection)?.get(namespace);
      const previous = objects?.get(keyOf(namespace, name));
      if (previous === undefined) return undefined;
      objects?.delete(keyOf(namespace, name));
      if (objects?.size === 0) collections.get(collection)?.delete(namespace);
      revision++;
      const removed = withResourceVersion(previous, revision);
      record({ type: 'DELETED', revision, collection, object: removed, previous });
      return removed;
    },
    since(collection, from) {
      if (from < oldest) return undefined;
      return history.filter((event) => event.revision > from && event.collection === collection);
    },
    oldest: () => oldest,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function withResourceVersion(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
