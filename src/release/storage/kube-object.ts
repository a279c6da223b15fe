import pMap, { pMapSkip } from 'p-map';
import type { Host } from '../../go/host.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import type { Cluster, ListQuery } from '../../objects/cluster.ts';
import type { KubeObject } from '../../objects/object.ts';
import { releaseCodec, type ReleaseCodec } from '../codec.ts';
import { ReleaseError } from '../error.ts';
import type { Release } from '../release.ts';
import { unixSeconds } from '../time.ts';
import { adoptParts, createParts, headOf, partsOf, partsReference, readParts, withHead } from './parts.ts';
import {
  decodeRevision,
  encodeRevision,
  fitsObject,
  isShort,
  maxParts,
  refOf,
  revisionObject,
  storedRevision,
  tooLarge,
  type ObjectFormat,
} from './revision-object.ts';
import {
  customLabels,
  latestOf,
  summaryOf,
  type ReleaseStorage,
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

/** Maximum number of revisions that a query reads at the same time. */
const concurrency = 8;

/** Stores each revision in an object named `sh.helm.release.v1.NAME.vN`, with Helm's labels. */
export function kubeObjectStorage(format: ObjectFormat, options: KubeStorageOptions): ReleaseStorage {
  const { cluster, host, onUnreadable, codec = releaseCodec } = options;
  const { kind } = format;
  return {
    async get(key, signal) {
      const object = await cluster.get(refOf(kind, key), signal);
      return object && (await readWhole(await decodeRevision(format, codec, object, signal), signal));
    },

    async query(query, signal) {
      const results = query.latestOnly === true ? await readLatest(query, signal) : await readAll(query, signal);
      const revisions = results.filter((result): result is StoredRevision => !(result instanceof ReleaseError));
      const [unreadable] = results;
      // a release of which nothing is readable exists nevertheless
      if (query.name !== undefined && revisions.length === 0 && unreadable instanceof ReleaseError) throw unreadable;
      return revisions;
    },

    async create(release, labels, signal, { chunked = false } = {}) {
      const allLabels = { ...labels, createdAt: unixSeconds(host.now()) };
      const encoded = await codec.encode(release, signal);
      if (fitsObject(encoded)) {
        const object = revisionObject(format, release, encoded, allLabels);
        return storedRevision(release, await createNew(object, signal));
      }
      requireChunks(release, encoded, chunked);
      return await createInParts(release, encoded, allLabels, signal);
    },

    async requireRoom(release, { chunked = false } = {}, signal) {
      if (isShort(release)) return;
      const encoded = await codec.encode(release, signal);
      if (!fitsObject(encoded)) requireChunks(release, encoded, chunked);
    },

    async update({ release, labels, resourceVersion, parts }, signal) {
      const object = await encodeRevision(
        format,
        codec,
        parts === undefined ? release : headOf(release, parts),
        { ...customLabels(labels), modifiedAt: unixSeconds(host.now()) }, // as in Helm, without createdAt
        signal,
      );
      object.metadata.resourceVersion = resourceVersion;
      try {
        const stored = storedRevision(release, await cluster.replace(object, writeOptions(signal)));
        return { ...stored, ...(parts && { parts }) };
      } catch (cause) {
        if (hasClusterErrorCode(cause, 'conflict')) throw conflict(release, cause);
        if (!hasClusterErrorCode(cause, 'not_found')) throw cause;
        throw new ReleaseError('release_not_found', 'release: not found', { cause });
      }
    },

    delete: (key, signal) => cluster.delete(refOf(kind, key), signal && { signal }),
  };

  async function createNew(object: KubeObject, signal: AbortSignal | undefined): Promise<KubeObject> {
    try {
      return await cluster.create(object, writeOptions(signal));
    } catch (cause) {
      if (!hasClusterErrorCode(cause, 'already_exists')) throw cause;
      throw new ReleaseError('release_exists', 'release: already exists', { cause });
    }
  }

  function requireChunks(release: Release, encoded: string, chunked: boolean): void {
    if (!chunked || partsOf(release, encoded).count > maxParts) {
      throw tooLarge(kind, release.name, encoded.length, chunked);
    }
  }

  /** The head comes last, so that a revision that exists is complete. */
  async function createInParts(
    release: Release,
    encoded: string,
    labels: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<StoredRevision> {
    const parts = partsOf(release, encoded);
    const head = await encodeRevision(format, codec, headOf(release, parts), labels, signal);
    const created = await createParts(cluster, format, release, encoded, writeOptions(signal));
    let stored: KubeObject;
    try {
      stored = await createNew(head, signal);
    } catch (error) {
      // another one with the same content may own them
      if (!(error instanceof ReleaseError)) throw error;
      for (const { apiVersion, kind, metadata } of created) {
        const { namespace = '', name, uid } = metadata;
        await cluster.delete(
          { apiVersion, kind, namespace, name },
          { ...(uid !== undefined && { uid }), ...(signal && { signal }) },
        );
      }
      throw error;
    }
    await adoptParts(cluster, stored, created, writeOptions(signal));
    return { ...storedRevision(release, stored), parts };
  }

  /** Adds the content of a revision that is stored in parts. */
  async function readWhole(revision: StoredRevision, signal: AbortSignal | undefined): Promise<StoredRevision> {
    const { release: head } = revision;
    const parts = partsReference(head);
    if (parts === undefined) return revision;
    const encoded = await readParts(cluster, format, head, parts, signal);
    return { ...revision, release: withHead(await codec.decode(encoded, signal), head), parts };
  }

  async function readAll(query: RevisionQuery, signal: AbortSignal | undefined) {
    const objects = await cluster.list(selection(query), signal);
    return Promise.all(objects.map((object) => readOrReport(object, query, signal)));
  }

  /** Reads only the highest revisions in full, a few at a time: there may be thousands. */
  async function readLatest(query: RevisionQuery, signal: AbortSignal | undefined) {
    const found = await cluster.list({ ...selection(query), metadataOnly: true }, signal);
    return pMap(
      latestObjects(found, query),
      async ({ metadata: { name, namespace } }) => {
        const object = await cluster.get({ apiVersion: 'v1', kind, name, ...(namespace && { namespace }) }, signal);
        return object === undefined ? pMapSkip : readOrReport(object, query, signal);
      },
      { concurrency },
    );
  }

  function selection(query: RevisionQuery): ListQuery {
    const { namespace } = query;
    const all = { apiVersion: 'v1', kind, labelSelector: labelSelector(query) };
    return namespace === undefined ? all : { ...all, namespace };
  }

  /**
   * Reports an unreadable revision and returns its error. As in Helm, it does not block the other
   * revisions of its release.
   */
  async function readOrReport(
    object: KubeObject,
    { summary = false }: RevisionQuery,
    signal: AbortSignal | undefined,
  ): Promise<StoredRevision | ReleaseError> {
    try {
      const revision = await decodeRevision(format, codec, object, signal);
      return summary ? { ...revision, release: summaryOf(revision.release) } : await readWhole(revision, signal);
    } catch (error) {
      if (!(error instanceof ReleaseError)) throw error;
      onUnreadable(error);
      return error;
    }
  }
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

function writeOptions(signal: AbortSignal | undefined): { fieldManager: string; signal?: AbortSignal } {
  return { fieldManager: 'helm', ...(signal && { signal }) };
}

function conflict({ name, version }: Release, cause: unknown): ReleaseError {
  const message = `revision ${version} of release ${name} was changed by another client`;
  return new ReleaseError('release_conflict', message, { cause });
}
