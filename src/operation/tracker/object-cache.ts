import type { ObservedChange } from '../../objects/cluster.ts';
import { stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { isOlder, newerOf } from './resource-version.ts';

/** The objects of a query as the API server last reported them. */
export interface TrackedObjects {
  /** Whether they were listed. Before that, no object is known. */
  readonly isListed: boolean;
  /** The error with which the API server refused the query. */
  readonly refusal: Error | undefined;
  /** The newest version that was seen of any of them. */
  readonly resourceVersion: string | undefined;
  /** Grows with each change of what was looked up. */
  readonly changes: number;
  find(object: { namespace?: string; name: string }): KubeObject | undefined;
  all(): Iterable<KubeObject>;
  /** Returns the objects that the one with this uid owns or, of events, those about it. */
  relatedTo(uid: string | undefined): Iterable<KubeObject>;
}

/** The object that a change has touched and the uids that it refers to, or all objects. */
export type Touched = 'all' | { readonly key: string; readonly uids: readonly string[] };

/** Number of deleted objects whose last version is remembered. */
const maxDeleted = 1000;

/**
 * Number of events that are kept, the newest ones. The API server keeps each for an hour, also
 * those about objects that are gone.
 */
export const maxEvents = 5000;

/**
 * Objects by name and by the uids that they refer to. Keeps the newest version of an object, also
 * if changes arrive out of order or from an API server that lags behind.
 */
export class ObjectCache {
  isListed = false;
  refusal: Error | undefined;
  /** The newest version that was seen of any object. */
  resourceVersion: string | undefined;
  readonly #objects = new Map<string, KubeObject>();
  readonly #related = new Map<string, Map<string, KubeObject>>();
  /** Versions of deleted objects, the oldest first. */
  readonly #deleted = new Map<string, string | undefined>();

  find(object: { namespace?: string; name: string }): KubeObject | undefined {
    return this.#objects.get(keyOf(object));
  }

  all(): Iterable<KubeObject> {
    return this.#objects.values();
  }

  relatedTo(uid: string | undefined): Iterable<KubeObject> {
    return (uid === undefined ? undefined : this.#related.get(uid)?.values()) ?? [];
  }

  /** Returns what the change has touched, or undefined if it brings nothing new. */
  add(change: ObservedChange): Touched | undefined {
    if (change.type === 'snapshot') {
      return this.#replaceAll(change.objects, change.resourceVersion) ? 'all' : undefined;
    }
    const { object } = change;
    const { resourceVersion } = object.metadata;
    const key = keyOf(object.metadata);
    const known = this.#objects.get(key);
    if (isOlder(resourceVersion, known?.metadata.resourceVersion ?? this.#deleted.get(key))) return undefined;
    this.resourceVersion = newerOf(this.resourceVersion, resourceVersion);
    if (change.type === 'changed') this.#set(key, object);
    else this.#delete(key, resourceVersion);
    return { key, uids: [...(known ? relatedUids(known) : []), ...relatedUids(object)] };
  }

  refuse(error: Error): void {
    this.refusal = error;
  }

  #replaceAll(objects: readonly KubeObject[], resourceVersion: string | undefined): boolean {
    // the watch that follows a list that lags behind brings all changes since then once more
    if (this.isListed && isOlder(resourceVersion, this.resourceVersion)) return false;
    this.#objects.clear();
    this.#related.clear();
    this.#deleted.clear();
    const ordered = objects.length > maxEvents ? oldestFirst(objects) : objects;
    for (const object of ordered) this.#set(keyOf(object.metadata), object);
    this.isListed = true;
    this.resourceVersion = newerOf(this.resourceVersion, resourceVersion);
    return true;
  }

  #set(key: string, object: KubeObject): void {
    this.#remove(key);
    const kept = keptFields(object);
    this.#objects.set(key, kept);
    this.#deleted.delete(key);
    for (const uid of relatedUids(kept)) {
      const related = this.#related.get(uid) ?? new Map<string, KubeObject>();
      this.#related.set(uid, related.set(key, kept));
    }
    if (kept.kind !== 'Event' || this.#objects.size <= maxEvents) return;
    const [oldest] = this.#objects.keys();
    if (oldest !== undefined) this.#remove(oldest);
  }

  #delete(key: string, version: string | undefined): void {
    this.#remove(key);
    this.#deleted.delete(key);
    this.#deleted.set(key, version);
    const [oldest] = this.#deleted.keys();
    if (this.#deleted.size > maxDeleted && oldest !== undefined) this.#deleted.delete(oldest);
  }

  #remove(key: string): void {
    const object = this.#objects.get(key);
    if (object === undefined) return;
    this.#objects.delete(key);
    for (const uid of relatedUids(object)) {
      const related = this.#related.get(uid);
      related?.delete(key);
      if (related?.size === 0) this.#related.delete(uid);
    }
  }
}

/** Returns the key of an object among those of a query. */
export function keyOf({ namespace = '', name }: { namespace?: string; name: string }): string {
  return `${namespace}/${name}`;
}

function oldestFirst(objects: readonly KubeObject[]): KubeObject[] {
  return objects.toSorted(({ metadata: a }, { metadata: b }) => {
    if (isOlder(a.resourceVersion, b.resourceVersion)) return -1;
    return isOlder(b.resourceVersion, a.resourceVersion) ? 1 : 0;
  });
}

function relatedUids(object: KubeObject): string[] {
  const about = object.kind === 'Event' ? stringAt(object, 'involvedObject', 'uid') : undefined;
  if (about !== undefined) return [about];
  return (object.metadata.ownerReferences ?? []).map(({ uid }) => uid);
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Fields that can be large and that no rule reads. */
const contents = new Map(
  Object.entries({
    ConfigMap: ['data', 'binaryData'],
    Secret: ['data'],
    CustomResourceDefinition: ['spec'],
  }),
);

/** Returns an object without the fields that say nothing about its status. */
function keptFields(object: KubeObject): KubeObject {
  const { annotations } = object.metadata;
  const metadata = { ...without(object.metadata, ['managedFields']), name: object.metadata.name };
  const kept = annotations?.[lastApplied] === undefined ? {} : { annotations: without(annotations, [lastApplied]) };
  const { apiVersion, kind } = object;
  return { ...without(object, contents.get(kind) ?? []), apiVersion, kind, metadata: { ...metadata, ...kept } };
}

function without<Value>(fields: Readonly<Record<string, Value>>, names: readonly string[]): Record<string, Value> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
