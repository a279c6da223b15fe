import type { KubeObject } from '../../objects/object.ts';

/** One change of one object. */
export interface StoreEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  revision: number;
  collection: string;
  object: KubeObject;
  /** What was there before; absent for `ADDED`. */
  previous?: KubeObject;
}

/**
 * Keeps objects by collection, namespace and name, and counts revisions as etcd does: one number for all of them. Objects that come out are never changed
 * afterwards and must not be changed by who gets them.
 */
export interface Store {
  /** The revision of the last change. */
  revision(): number;
  get(collection: string, namespace: string, name: string): KubeObject | undefined;
  /** In the order of namespace and name; of all namespaces without one. */
  list(collection: string, namespace?: string): KubeObject[];
  /** Writes the object with the next revision as its resourceVersion. */
  put(collection: string, object: KubeObject): KubeObject;
  /** Removes the object; what is answered has the revision of the removal. */
  remove(collection: string, namespace: string, name: string): KubeObject | undefined;
  /** The changes of a collection after `revision`, or undefined where the history does not reach so far back. */
  since(collection: string, revision: number): StoreEvent[] | undefined;
  /** The oldest revision from which `since` can answer. */
  oldest(): number;
  /** Calls `listener` after each change, in order; answers how to stop. */
  subscribe(listener: (event: StoreEvent) => void): () => void;
}

/** As in a cluster that has run for a while: version 1 is long gone. */
const firstRevision = 100;

/** `historyLimit`: how many changes are remembered for watches that go on from an older revision. */
export function createStore(historyLimit: number): Store {
  const collections = new Map<string, Map<string, KubeObject>>();
  const listeners = new Set<(event: StoreEvent) => void>();
  const history: StoreEvent[] = [];
  let revision = firstRevision;
  let oldest = firstRevision;

  const objectsOf = (collection: string): Map<string, KubeObject> => {
    const objects = collections.get(collection) ?? new Map<string, KubeObject>();
    collections.set(collection, objects);
    return objects;
  };

  const record = (event: StoreEvent): void => {
    history.push(event);
    if (history.length > historyLimit) oldest = history.shift()?.revision ?? oldest;
    for (const listener of listeners) listener(event);
  };

  return {
    revision: () => revision,
    get: (collection, namespace, name) => objectsOf(collection).get(keyOf(namespace, name)),
    list(collection, namespace) {
      const entries = [...objectsOf(collection)].filter(
        ([key]) => namespace === undefined || key.startsWith(`${namespace}/`),
      );
      return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    },
    put(collection, object) {
      const objects = objectsOf(collection);
      const key = keyOf(object.metadata.namespace ?? '', object.metadata.name);
      const previous = objects.get(key);
      revision++;
      const stored = withResourceVersion(object, revision);
      objects.set(key, stored);
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
      const objects = objectsOf(collection);
      const previous = objects.get(keyOf(namespace, name));
      if (previous === undefined) return undefined;
      objects.delete(keyOf(namespace, name));
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
  const copy = structuredClone(object);
  copy.metadata.resourceVersion = String(revision);
  return copy;
}
