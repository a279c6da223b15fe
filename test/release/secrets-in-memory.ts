import type { KubeObject, ObjectRef } from '../../src/objects/object.ts';
import type { SecretClient } from '../../src/release/storage/secret.ts';

/** As much of an API server as storage of releases sees. */
export class SecretsInMemory implements SecretClient {
  readonly objects = new Map<string, KubeObject>();
  #version = 0;

  get(ref: ObjectRef): Promise<KubeObject | undefined> {
    return Promise.resolve(structuredClone(this.objects.get(key(ref.namespace, ref.name))));
  }

  list(query: { namespace?: string; labelSelector?: string }): Promise<KubeObject[]> {
    const wanted = (query.labelSelector ?? '').split(',').map((pair) => pair.split('='));
    const found = [...this.objects.values()].filter(
      ({ metadata }) =>
        metadata.namespace === (query.namespace ?? metadata.namespace) &&
        wanted.every(([label = '', value]) => metadata.labels?.[label] === value),
    );
    return Promise.resolve(structuredClone(found));
  }

  async create(object: KubeObject): Promise<KubeObject> {
    await Promise.resolve();
    if (this.objects.has(key(object.metadata.namespace, object.metadata.name))) throw failure('already_exists');
    return this.#write(object);
  }

  async replace(object: KubeObject): Promise<KubeObject> {
    await Promise.resolve();
    const known = this.objects.get(key(object.metadata.namespace, object.metadata.name));
    if (known === undefined) throw failure('not_found');
    if (known.metadata.resourceVersion !== object.metadata.resourceVersion) throw failure('conflict');
    return this.#write(object);
  }

  delete(ref: ObjectRef): Promise<boolean> {
    return Promise.resolve(this.objects.delete(key(ref.namespace, ref.name)));
  }

  #write(object: KubeObject): KubeObject {
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    const stored = structuredClone({ ...object, metadata });
    this.objects.set(key(metadata.namespace, metadata.name), stored);
    return structuredClone(stored);
  }
}

function key(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}
