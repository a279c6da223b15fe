import pMap from 'p-map';
import type { Host } from '../../go/host.ts';
import type { Cluster, ListQuery } from '../../objects/cluster.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { identityOf } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { type ReleaseCodec, releaseCodec } from '../codec.ts';
import { ReleaseError } from '../error.ts';
import type { Release } from '../release.ts';
import { isUnfinished, releaseStatuses } from '../status.ts';
import { unixSeconds } from '../time.ts';
import { drivers, type StorageDriver } from './drivers.ts';
import { adoptParts, createParts, headOf, partsOf, partsReference, readParts, withHead } from './parts.ts';
import {
  decodeRevision,
  encodeRevision,
  fitsObject,
  type Holder,
  holdingAgent,
  isShort,
  maxParts,
  type ObjectFormat,
  refOf,
  type RevisionMetadata,
  revisionObject,
  storedRevision,
  tooLarge,
} from './revision-object.ts';
import {
  customLabels,
  newestFirst,
  type ReleaseStorage,
  type RevisionKey,
  type RevisionQuery,
  type StoredRevision,
  summaryOf,
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
  /** Who works on revisions that are not finished. Default: they do not say it. */
  holder?: Holder;
  /**
   * Returns the key with which records are signed and recognized. Default: none is signed, and none
   * is recognized.
   */
  signingKey?: () => Uint8Array | undefined;
  /** Reads what a stranger may have stored. Default: in the calling thread. */
  codec?: ReleaseCodec;
}

/**
 * Opens the storage of a driver in a cluster. It stores each revision in an object named
 * `sh.helm.release.v1.NAME.vN`, with Helm's labels.
 */
export function openStorage(driver: StorageDriver, options: KubeStorageOptions): ReleaseStorage {
  const format = drivers[driver];
  const resource = driver === 'secret' ? 'secrets' : 'configmaps';
  return { resource, ...readStoredRevisions(format, options), ...writeStoredRevisions(format, options) };
}

/**
 * Returns the revisions that an agent has left unfinished or works on, in all namespaces. Reads
 * only their metadata.
 */
export async function unfinishedRevisions(
  cluster: Pick<Cluster, 'list'>,
  driver: StorageDriver,
  agentId: string,
  signal: AbortSignal,
): Promise<RevisionKey[]> {
  const { kind } = drivers[driver];
  const labelSelector = `owner=helm,status in (${releaseStatuses.filter(isUnfinished).join(',')})`;
  const found = await cluster.list({ apiVersion: 'v1', kind, labelSelector, metadataOnly: true }, signal);
  return found
    .filter((object) => holdingAgent(object) === agentId)
    .map(({ metadata: { namespace = '', labels = {} } }) => ({
      namespace,
      name: labels['name'] ?? '',
      version: Number(labels['version']),
    }));
}

/** Maximum number of revisions that a query reads at the same time. */
const concurrency = 8;

/** Most revisions that are read by a list, because all of them are in memory then. */
const maxListed = 20;

/** Returns the reading half of a storage with an object for each revision. */
function readStoredRevisions(
  format: ObjectFormat,
  { cluster, onUnreadable, codec = releaseCodec, signingKey }: KubeStorageOptions,
): Pick<ReleaseStorage, 'get' | 'query'> {
  const { kind } = format;

  /** Adds the content of a revision that is stored in parts. */
  async function readWhole(revision: StoredRevision, signal: AbortSignal | undefined): Promise<StoredRevision> {
    const { release: head } = revision;
    const parts = partsReference(head);
    if (parts === undefined) return revision;
    const encoded = await readParts(cluster, format, head, parts, signal);
    return { ...revision, release: withHead(await codec.decode(encoded, signal), head), parts };
  }

  /**
   * Reports an unreadable revision and returns its error. As in Helm, it does not block the other
   * revisions of its release.
   */
  async function readOrReport(
    object: KubeObject,
    query: RevisionQuery,
    signal: AbortSignal | undefined,
  ): Promise<StoredRevision | ReleaseError> {
    try {
      const revision = await decodeRevision(format, codec, object, signingKey?.(), signal);
      return query.summary === true
        ? { ...revision, release: summaryOf(revision.release) }
        : await readWhole(revision, signal);
    } catch (error) {
      if (!(error instanceof ReleaseError)) throw error;
      onUnreadable(error);
      query.onUnreadable?.(error);
      return error;
    }
  }

  async function readAll(query: RevisionQuery, signal: AbortSignal | undefined) {
    const objects = await cluster.list(selection(kind, query), signal);
    return Promise.all(objects.map((object) => readOrReport(object, query, signal)));
  }

  const refTo = ({ metadata: { name, namespace } }: KubeObject): ObjectRef => {
    return { apiVersion: 'v1', kind, name, ...(namespace && { namespace }) };
  };

  /**
   * Lists the revisions that are not superseded if they are few. Most of them are the latest ones
   * of their releases.
   */
  async function listUnsuperseded(
    found: readonly KubeObject[],
    latest: readonly KubeObject[],
    query: RevisionQuery,
    signal: AbortSignal | undefined,
  ): Promise<KubeObject[]> {
    const wanted = latest.filter(isUnsuperseded).length;
    if (wanted < 2 || found.filter(isUnsuperseded).length > Math.min(maxListed, 2 * wanted)) return [];
    const all = selection(kind, query);
    return cluster.list({ ...all, labelSelector: `${all.labelSelector},status!=superseded` }, signal);
  }

  /** Reads only the highest revisions in full, a few at a time: there may be thousands. */
  async function readLatest(query: RevisionQuery, signal: AbortSignal | undefined) {
    const found = await cluster.list({ ...selection(kind, query), metadataOnly: true }, signal);
    const releases = newestFirst(found, keyOf).filter(([latest]) => latest && hasStatus(latest, query));
    const latest = releases.flatMap((revisions) => revisions.slice(0, 1));
    const listed = await listUnsuperseded(found, latest, query, signal);
    const byRef = new Map(listed.map((object) => [identityOf(refTo(object)), object]));
    const read = async (wanted: KubeObject) => {
      const ref = refTo(wanted);
      const object = byRef.get(identityOf(ref)) ?? (await cluster.get(ref, signal));
      return object && readOrReport(object, query, signal);
    };
    const results = await pMap(releases, (revisions) => firstReadable(revisions, read), { concurrency });
    return results.flat();
  }

  return {
    async get(key, signal) {
      const object = await cluster.get(refOf(kind, key), signal);
      if (object === undefined) return undefined;
      return await readWhole(await decodeRevision(format, codec, object, signingKey?.(), signal), signal);
    },

    async query(query, signal) {
      const results = query.latestOnly === true ? await readLatest(query, signal) : await readAll(query, signal);
      const revisions = results.filter((result): result is StoredRevision => !(result instanceof ReleaseError));
      const [unreadable] = results;
      const isKnown = query.name !== undefined && query.onUnreadable === undefined;
      // a release of which nothing is readable exists nevertheless
      if (isKnown && revisions.length === 0 && unreadable instanceof ReleaseError) throw unreadable;
      return revisions;
    },
  };
}

/**
 * Reads revisions up to the first one that can be read, as Helm does, which leaves out the others.
 * Returns it after the errors of those before it.
 */
async function firstReadable<Result extends object>(
  newestFirst: readonly KubeObject[],
  read: (object: KubeObject) => Promise<Result | ReleaseError | undefined>,
): Promise<(Result | ReleaseError)[]> {
  const results: (Result | ReleaseError)[] = [];
  for (const object of newestFirst) {
    const result = await read(object);
    if (result === undefined) continue; // deleted since the list
    results.push(result);
    if (!(result instanceof ReleaseError)) break;
  }
  return results;
}

function isUnsuperseded({ metadata: { labels } }: KubeObject): boolean {
  return labels?.['status'] !== 'superseded';
}

function selection(kind: string, query: RevisionQuery): ListQuery & { labelSelector: string } {
  const { namespace } = query;
  const all = { apiVersion: 'v1', kind, labelSelector: labelSelector(query) };
  return namespace === undefined ? all : { ...all, namespace };
}

function labelSelector({ name, status, latestOnly }: RevisionQuery): string {
  const selector = ['owner=helm'];
  if (name !== undefined) selector.push(`name=${name}`);
  if (status !== undefined && latestOnly !== true) selector.push(`status=${status}`);
  return selector.join(',');
}

function hasStatus({ metadata: { labels } }: KubeObject, { status }: RevisionQuery): boolean {
  return status === undefined || labels?.['status'] === status;
}

function keyOf({ metadata: { namespace = '', labels } }: KubeObject): RevisionKey {
  return { namespace, name: labels?.['name'] ?? '', version: Number(labels?.['version']) || 0 };
}

/** Returns the writing half of a storage with an object for each revision. */
function writeStoredRevisions(
  format: ObjectFormat,
  { cluster, host, holder, codec = releaseCodec, signingKey }: KubeStorageOptions,
): Pick<ReleaseStorage, 'create' | 'requireFit' | 'update' | 'delete'> {
  const { kind } = format;

  /** The head comes last, so that a revision that exists is complete. */
  async function createInParts(
    release: Release,
    encoded: string,
    metadata: RevisionMetadata,
    signal: AbortSignal | undefined,
  ): Promise<StoredRevision> {
    const parts = partsOf(release, encoded);
    // its signature covers the parts, because it has their digest
    const head = await encodeRevision(format, codec, headOf(release, parts), metadata, signal);
    const { all, created } = await createParts(cluster, format, release, encoded, writeOptions(signal));
    let stored: KubeObject;
    try {
      stored = await createNew(cluster, head, signal);
    } catch (error) {
      // another one with the same content may own them
      if (error instanceof ReleaseError) await deleteParts(cluster, created, signal);
      throw error;
    }
    await adoptParts(cluster, stored, all, writeOptions(signal));
    return { ...storedRevision(release, stored, metadata.signingKey !== undefined), parts };
  }

  function requireChunks(release: Release, encoded: string, chunked: boolean): void {
    if (!chunked || partsOf(release, encoded).count > maxParts) {
      throw tooLarge(kind, release.name, encoded.length, chunked);
    }
  }

  return {
    async create(release, labels, signal, { chunked = false, isOwn = false } = {}) {
      const key = isOwn ? signingKey?.() : undefined;
      const metadata = { labels: { ...labels, createdAt: unixSeconds(host.now()) }, holder, signingKey: key };
      const encoded = await codec.encode(release, signal);
      if (fitsObject(encoded)) {
        const object = revisionObject(format, release, encoded, metadata);
        return storedRevision(release, await createNew(cluster, object, signal), key !== undefined);
      }
      requireChunks(release, encoded, chunked);
      return await createInParts(release, encoded, metadata, signal);
    },

    async requireFit(release, { chunked = false } = {}, signal) {
      if (isShort(release)) return;
      const encoded = await codec.encode(release, signal);
      if (!fitsObject(encoded)) requireChunks(release, encoded, chunked);
    },

    async update({ release, labels, resourceVersion, parts, isOwn = false, isReleased = false }, signal) {
      const key = isOwn ? signingKey?.() : undefined;
      const object = await encodeRevision(
        format,
        codec,
        parts === undefined ? release : headOf(release, parts),
        {
          // as in Helm, without createdAt
          labels: { ...customLabels(labels), modifiedAt: unixSeconds(host.now()) },
          holder: isReleased ? undefined : holder,
          signingKey: key,
        },
        signal,
      );
      object.metadata.resourceVersion = resourceVersion;
      try {
        const stored = storedRevision(release, await cluster.replace(object, writeOptions(signal)), key !== undefined);
        return { ...stored, ...(parts && { parts }) };
      } catch (cause) {
        if (hasClusterErrorCode(cause, 'conflict')) throw conflict(release, cause);
        if (!hasClusterErrorCode(cause, 'not_found')) throw cause;
        throw new ReleaseError('release_not_found', 'release: not found', { cause });
      }
    },

    async delete({ release, uid, resourceVersion }, signal) {
      const preconditions = uid !== undefined && { uid, resourceVersion };
      try {
        return await cluster.delete(refOf(kind, release), { ...preconditions, ...(signal && { signal }) });
      } catch (cause) {
        if (!hasClusterErrorCode(cause, 'conflict')) throw cause;
        throw conflict(release, cause);
      }
    },
  };
}

async function createNew(
  cluster: ReleaseCluster,
  object: KubeObject,
  signal: AbortSignal | undefined,
): Promise<KubeObject> {
  try {
    return await cluster.create(object, writeOptions(signal));
  } catch (cause) {
    if (!hasClusterErrorCode(cause, 'already_exists')) throw cause;
    throw new ReleaseError('release_exists', 'release: already exists', { cause });
  }
}

async function deleteParts(
  cluster: ReleaseCluster,
  parts: readonly KubeObject[],
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const { apiVersion, kind, metadata } of parts) {
    const { namespace = '', name, uid } = metadata;
    const options = { ...(uid !== undefined && { uid }), ...(signal && { signal }) };
    await cluster.delete({ apiVersion, kind, namespace, name }, options);
  }
}

function writeOptions(signal: AbortSignal | undefined): { fieldManager: string; signal?: AbortSignal } {
  return { fieldManager: 'helm', ...(signal && { signal }) };
}

function conflict({ name, version }: Release, cause: unknown): ReleaseError {
  const message = `revision ${version} of release ${name} was changed by another client`;
  return new ReleaseError('release_conflict', message, { cause });
}
