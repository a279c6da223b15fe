import type { Host } from '../../go/host.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import type { Cluster } from '../../objects/cluster.ts';
import { stringAt } from '../../objects/fields.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { releaseCodec, type ReleaseCodec } from '../codec.ts';
import { ReleaseError } from '../error.ts';
import type { Release } from '../release.ts';
import { unixSeconds } from '../time.ts';
import {
  latestOf,
  storageLabels,
  type ReleaseStorage,
  type RevisionKey,
  type RevisionQuery,
  type StoredRevision,
} from './storage.ts';

/** The requests that release storage sends. */
export type ReleaseCluster = Pick<Cluster, 'get' | 'list' | 'create' | 'replace' | 'delete'>;

export interface KubeStorageOptions {
  cluster: ReleaseCluster;
  host: Host;
  /**
   * Called for each object of a query that is not a readable release. As in Helm, the result has
   * the other ones.
   */
  onUnreadable: (error: ReleaseError) => void;
  /** Reads what a stranger may have stored. Default: in the calling thread. */
  codec?: ReleaseCodec;
}

/** The kind of object that holds a revision, and how it does. */
export interface ObjectFormat {
  kind: 'Secret' | 'ConfigMap';
  /** `type` of the object. Default: none. */
  type?: string;
  /** Returns `data.release` for an encoded release. */
  toData(encoded: string): string;
  /** Returns the encoded release in `data.release`. */
  fromData(data: string): string;
}

/** Maximum size of the data in a Secret or a ConfigMap. */
const maxDataBytes = 1024 * 1024;

/** Stores each revision in an object named `sh.helm.release.v1.NAME.vN`, with Helm's labels. */
export function kubeObjectStorage(format: ObjectFormat, options: KubeStorageOptions): ReleaseStorage {
  const { cluster, host, onUnreadable, codec = releaseCodec } = options;
  const { kind } = format;
  return {
    async get(key, signal) {
      const object = await cluster.get(refOf(kind, key), signal);
      return object && (await readRevision(object, signal));
    },

    async query(query, signal) {
      const { namespace } = query;
      const selection = { apiVersion: 'v1', kind, labelSelector: labelSelector(query) };
      const found = await cluster.list({ ...selection, ...(namespace !== undefined && { namespace }) }, signal);
      const wanted = query.latestOnly === true ? latestObjects(found, query) : found;
      const results = await Promise.all(wanted.map((object) => readOrReport(object, signal)));
      const revisions = results.filter((result): result is StoredRevision => !(result instanceof ReleaseError));
      const [unreadable] = results;
      // a release of which nothing is readable exists nevertheless
      if (query.name !== undefined && revisions.length === 0 && unreadable instanceof ReleaseError) throw unreadable;
      return revisions;
    },

    async create(release, labels, signal) {
      const object = await objectOf(release, { ...labels, createdAt: unixSeconds(host.now()) }, signal);
      try {
        return stored(release, await cluster.create(object, writeOptions(signal)));
      } catch (cause) {
        if (!hasClusterErrorCode(cause, 'already_exists')) throw cause;
        throw new ReleaseError('release_exists', 'release: already exists', { cause });
      }
    },

    async update({ release, labels, resourceVersion }, signal) {
      const object = await objectOf(release, { ...labels, modifiedAt: unixSeconds(host.now()) }, signal);
      object.metadata.resourceVersion = resourceVersion;
      try {
        return stored(release, await cluster.replace(object, writeOptions(signal)));
      } catch (cause) {
        if (hasClusterErrorCode(cause, 'conflict')) throw conflict(release, cause);
        if (!hasClusterErrorCode(cause, 'not_found')) throw cause;
        throw new ReleaseError('release_not_found', 'release: not found', { cause });
      }
    },

    delete: (key, signal) => cluster.delete(refOf(kind, key), signal && { signal }),
  };

  async function objectOf(
    release: Release,
    labels: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<KubeObject> {
    const { apiVersion, namespace = '', name } = refOf(kind, release);
    const encoded = await codec.encode(release, signal);
    if (encoded.length > maxDataBytes) throw tooLarge(release.name, encoded.length);
    return {
      apiVersion,
      kind,
      metadata: { namespace, name, labels: storageLabels(release, labels) },
      ...(format.type !== undefined && { type: format.type }),
      data: { release: format.toData(encoded) },
    };
  }

  async function readRevision(object: KubeObject, signal: AbortSignal | undefined): Promise<StoredRevision> {
    const { namespace = '', name } = object.metadata;
    const data = stringAt(object, 'data', 'release');
    if (data === undefined) throw new ReleaseError('release_corrupt', `${kind} ${namespace}/${name} has no release`);
    try {
      return stored(await codec.decode(format.fromData(data), signal), object);
    } catch (cause) {
      if (!(cause instanceof ReleaseError)) throw cause;
      throw new ReleaseError(cause.code, `${kind} ${namespace}/${name}: ${cause.message}`, { cause });
    }
  }

  /**
   * Reports an unreadable revision and returns its error. As in Helm, it does not block the other
   * revisions of its release.
   */
  async function readOrReport(
    object: KubeObject,
    signal: AbortSignal | undefined,
  ): Promise<StoredRevision | ReleaseError> {
    try {
      return await readRevision(object, signal);
    } catch (error) {
      if (!(error instanceof ReleaseError)) throw error;
      onUnreadable(error);
      return error;
    }
  }

  function tooLarge(name: string, bytes: number): ReleaseError {
    const size = (bytes / maxDataBytes).toFixed(1);
    const message = `release ${name} is too large: ${size} MiB compressed, but a ${kind} holds at most 1 MiB; make the chart smaller`;
    return new ReleaseError('release_too_large', message);
  }
}

function refOf(kind: ObjectFormat['kind'], { namespace, name, version }: RevisionKey): ObjectRef {
  return { apiVersion: 'v1', kind, namespace, name: `sh.helm.release.v1.${name}.v${version}` };
}

function labelSelector({ name, status, latestOnly }: RevisionQuery): string {
  const selector = ['owner=helm'];
  if (name !== undefined) selector.push(`name=${name}`);
  if (status !== undefined && latestOnly !== true) selector.push(`status=${status}`);
  return selector.join(',');
}

/** Selects objects by their labels, so that only these are decoded. */
function latestObjects(objects: KubeObject[], { status }: RevisionQuery): KubeObject[] {
  const latest = latestOf(objects, ({ metadata: { namespace, labels } }) => ({
    namespace: namespace ?? '',
    name: labels?.['name'] ?? '',
    version: Number(labels?.['version']),
  }));
  return status === undefined ? latest : latest.filter(({ metadata }) => metadata.labels?.['status'] === status);
}

function stored(release: Release, { metadata }: KubeObject): StoredRevision {
  return { release, labels: metadata.labels ?? {}, resourceVersion: metadata.resourceVersion ?? '' };
}

function writeOptions(signal: AbortSignal | undefined): { fieldManager: string; signal?: AbortSignal } {
  return { fieldManager: 'helm', ...(signal && { signal }) };
}

function conflict({ name, version }: Release, cause: unknown): ReleaseError {
  const message = `revision ${version} of release ${name} was changed by another client`;
  return new ReleaseError('release_conflict', message, { cause });
}
