import pMap, { pMapSkip } from 'p-map';
import type { Cluster } from '../../objects/cluster.ts';
import { stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { ReleaseError } from '../error.ts';
import { latestOf, type ReleaseStorage, type RevisionKey, type StoredRevision, summaryOf } from '../storage/storage.ts';
import type { Helm2Decoder } from './decode-helm2.ts';

/** Maximum number of records that are read at the same time. */
const concurrency = 8;

export interface TillerRecordsOptions {
  cluster: Pick<Cluster, 'get' | 'list'>;
  decode: Helm2Decoder;
  /** Called for each record that cannot be read. The result has the other ones. */
  onUnreadable: (error: ReleaseError) => void;
}

/** The revisions that Tiller has stored in a namespace, as those of Helm 3. */
export type TillerRecords = Pick<ReleaseStorage, 'query'>;

/**
 * Returns a function from the namespace of a Tiller to the revisions that it has stored in
 * ConfigMaps (Helm 2's pkg/storage/driver/cfgmaps.go).
 */
export function tillerRecords({
  cluster,
  decode,
  onUnreadable,
}: TillerRecordsOptions): (tillerNamespace?: string) => TillerRecords {
  async function read(object: KubeObject, signal?: AbortSignal): Promise<StoredRevision | ReleaseError> {
    const { namespace = '', name, labels = {}, resourceVersion = '' } = object.metadata;
    try {
      const release = await decode(stringAt(object, 'data', 'release') ?? '', signal);
      const isOwn = recordName(release) === name && recordName(keyOf(object)) === name;
      if (!isOwn) throw new ReleaseError('release_corrupt', 'the name or the revision in it is not that of the record');
      return { release, labels, resourceVersion };
    } catch (cause) {
      if (!(cause instanceof ReleaseError)) throw cause;
      const error = new ReleaseError(cause.code, `ConfigMap ${namespace}/${name}: ${cause.message}`, { cause });
      onUnreadable(error);
      return error;
    }
  }

  return (tillerNamespace = 'kube-system') => ({
    async query({ name, namespace, status, latestOnly = false, summary = false, onUnreadable: onLeftOut }, signal) {
      const selector = ['OWNER=TILLER', ...(name === undefined ? [] : [`NAME=${name}`])].join(',');
      const kind = { apiVersion: 'v1', kind: 'ConfigMap', namespace: tillerNamespace };
      const found = await cluster.list({ ...kind, labelSelector: selector, metadataOnly: true }, signal);
      const wanted = latestOnly ? latestOf(found, keyOf) : found;
      const results = await pMap(
        wanted,
        async ({ metadata }) => {
          const object = await cluster.get({ ...kind, name: metadata.name }, signal);
          if (object === undefined) return pMapSkip;
          const result = await read(object, signal);
          if (result instanceof ReleaseError) onLeftOut?.(result);
          return result;
        },
        { concurrency },
      );
      const revisions = results.filter((result): result is StoredRevision => !(result instanceof ReleaseError));
      const [unreadable] = results;
      // a release of which nothing is readable exists nevertheless
      if (name !== undefined && revisions.length === 0 && unreadable instanceof ReleaseError) throw unreadable;
      return revisions
        .filter(({ release }) => namespace === undefined || release.namespace === namespace)
        .filter(({ release }) => status === undefined || release.info.status === status)
        .map((revision) => (summary ? { ...revision, release: summaryOf(revision.release) } : revision));
    },
  });
}

function recordName({ name, version }: RevisionKey): string {
  return `${name}.v${version}`;
}

function keyOf({ metadata: { labels = {} } }: KubeObject): RevisionKey {
  return { namespace: '', name: labels['NAME'] ?? '', version: Number(labels['VERSION']) || 0 };
}
