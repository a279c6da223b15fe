import pMap, { pMapSkip } from 'p-map';
import type { ListQuery } from '../../objects/cluster.ts';
import type { KubeObject } from '../../objects/object.ts';
import { releaseCodec } from '../codec.ts';
import { ReleaseError } from '../error.ts';
import type { KubeStorageOptions } from './kube-storage-options.ts';
import { partsReference, readParts, withHead } from './parts.ts';
import { decodeRevision, refOf, type ObjectFormat } from './revision-object.ts';
import { latestOf, summaryOf, type ReleaseStorage, type RevisionQuery, type StoredRevision } from './storage.ts';

/** Maximum number of revisions that a query reads at the same time. */
const concurrency = 8;

/** Most revisions that are read by a list, because all of them are in memory then. */
const maxListed = 20;

/** Returns the reading half of a storage with an object for each revision. */
export function readStoredRevisions(
  format: ObjectFormat,
  { cluster, onUnreadable, codec = releaseCodec }: KubeStorageOptions,
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

  async function readAll(query: RevisionQuery, signal: AbortSignal | undefined) {
    const objects = await cluster.list(selection(kind, query), signal);
    return Promise.all(objects.map((object) => readOrReport(object, query, signal)));
  }

  /**
   * Lists the revisions that are not superseded if they are few. Most of them are the latest ones
   * of their releases.
   */
  async function listPresent(
    found: readonly KubeObject[],
    latest: readonly KubeObject[],
    query: RevisionQuery,
    signal: AbortSignal | undefined,
  ): Promise<KubeObject[]> {
    const wanted = latest.filter(isPresent).length;
    if (wanted < 2 || found.filter(isPresent).length > Math.min(maxListed, 2 * wanted)) return [];
    const all = selection(kind, query);
    return cluster.list({ ...all, labelSelector: `${all.labelSelector},status!=superseded` }, signal);
  }

  /** Reads only the highest revisions in full, a few at a time: there may be thousands. */
  async function readLatest(query: RevisionQuery, signal: AbortSignal | undefined) {
    const found = await cluster.list({ ...selection(kind, query), metadataOnly: true }, signal);
    const latest = latestObjects(found, query);
    const listed = await listPresent(found, latest, query, signal);
    const byKey = new Map(listed.map((object) => [keyOf(object), object]));
    return pMap(
      latest,
      async (wanted) => {
        const { name, namespace } = wanted.metadata;
        const ref = { apiVersion: 'v1', kind, name, ...(namespace && { namespace }) };
        const object = byKey.get(keyOf(wanted)) ?? (await cluster.get(ref, signal));
        return object === undefined ? pMapSkip : readOrReport(object, query, signal);
      },
      { concurrency },
    );
  }

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
  };
}

function isPresent({ metadata: { labels } }: KubeObject): boolean {
  return labels?.['status'] !== 'superseded';
}

function keyOf({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace}/${name}`;
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

/** Selects objects by their labels, so that only these are decoded. */
function latestObjects(objects: KubeObject[], { status }: RevisionQuery): KubeObject[] {
  const latest = latestOf(objects, ({ metadata: { namespace, labels } }) => ({
    namespace: namespace ?? '',
    name: labels?.['name'] ?? '',
    version: Number(labels?.['version']),
  }));
  return status === undefined ? latest : latest.filter(({ metadata }) => metadata.labels?.['status'] === status);
}
