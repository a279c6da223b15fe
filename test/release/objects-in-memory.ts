import type { ListQuery } from '../../src/objects/cluster.ts';
import type { ClusterErrorCode } from '../../src/objects/cluster-error.ts';
import type { KubeObject, ObjectRef } from '../../src/objects/object.ts';
import type { ReleaseCluster } from '../../src/release/storage/kube-storage.ts';

interface Preconditions {
  uid?: string;
  resourceVersion?: string;
}

/** The part of an API server that release storage uses. */
export class ObjectsInMemory implements ReleaseCluster {
  readonly objects = new Map<string, KubeObject>();
  /** Names of the objects that were read one by one. */
  readonly read: string[] = [];
  /** Number of lists of whole objects. */
  lists = 0;
  #version = 0;

  get(ref: ObjectRef): Promise<KubeObject | undefined> {
    this.read.push(ref.name);
    return Promise.resolve(structuredClone(this.objects.get(keyOf(ref))));
  }

  list({ kind, namespace, labelSelector = '', metadataOnly = false }: ListQuery): Promise<KubeObject[]> {
    const wanted = labelSelector
      .split(',')
      .map((term) => /^(?<label>[^!=]+)(?<not>!?)=(?<value>.*)$/.exec(term)?.groups);
    const found = [...this.objects.values()].filter(
      ({ kind: itsKind, metadata }) =>
        itsKind === kind &&
        metadata.namespace === (namespace ?? metadata.namespace) &&
        wanted.every(
          (term) => (metadata.labels?.[term?.['label'] ?? ''] === term?.['value']) === (term?.['not'] === ''),
        ),
    );
    if (!metadataOnly) this.lists += 1;
    const listed = metadataOnly ? found.map(({ apiVersion, metadata }) => ({ apiVersion, kind, metadata })) : found;
    return Promise.resolve(structuredClone(listed));
  }

  async create(object: KubeObject): Promise<KubeObject> {
    await Promise.resolve();
    if (this.objects.has(keyOf(refOf(object)))) throw failure('already_exists');
    return this.#write(object);
  }

  async replace(object: KubeObject): Promise<KubeObject> {
    await Promise.resolve();
    const known = this.objects.get(keyOf(refOf(object)));
    if (known === undefined) throw failure('not_found');
    if (known.metadata.resourceVersion !== object.metadata.resourceVersion) throw failure('conflict');
    return this.#write(object);
  }

  async delete(ref: ObjectRef, { uid, resourceVersion }: Preconditions = {}): Promise<boolean> {
    await Promise.resolve();
    const found = this.objects.get(keyOf(ref))?.metadata;
    if (found === undefined || (uid !== undefined && found.uid !== uid)) return false;
    if (resourceVersion !== undefined && found.resourceVersion !== resourceVersion) throw failure('conflict');
    return this.objects.delete(keyOf(ref));
  }

  #write(object: KubeObject): KubeObject {
    this.#version += 1;
    const uid = this.objects.get(keyOf(refOf(object)))?.metadata.uid ?? `uid-${this.#version}`;
    const metadata = { ...object.metadata, uid, resourceVersion: String(this.#version) };
    const stored = structuredClone({ ...object, metadata });
    this.objects.set(keyOf(refOf(object)), stored);
    return structuredClone(stored);
  }
}

function refOf({ apiVersion, kind, metadata: { namespace = '', name } }: KubeObject): ObjectRef {
  return { apiVersion, kind, namespace, name };
}

function keyOf({ kind, namespace = '', name }: ObjectRef): string {
  return `${kind} ${namespace}/${name}`;
}

function failure(code: ClusterErrorCode): Error {
  return Object.assign(new Error(code), { code });
}
