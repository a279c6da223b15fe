import type { Host } from '../../go/host.ts';
import { ReleaseError } from '../error.ts';
import { unixSeconds } from '../time.ts';
import {
  customLabels,
  latestOf,
  type ReleaseStorage,
  type RevisionKey,
  revisionKey,
  storageLabels,
  type StoredRevision,
  summaryOf,
} from './storage.ts';

/** Stores releases in memory, like Helm's `HELM_DRIVER=memory`. Takes and returns copies. */
export function memoryStorage(host: Host): ReleaseStorage {
  const revisions = new Map<string, StoredRevision>();
  let writes = 0;

  function write(revision: Omit<StoredRevision, 'resourceVersion'>): StoredRevision {
    writes += 1;
    const stored = structuredClone({ ...revision, resourceVersion: String(writes) });
    revisions.set(keyText(revisionKey(stored.release)), stored);
    return structuredClone(stored);
  }

  return {
    get: (key) => Promise.resolve(structuredClone(revisions.get(keyText(key)))),

    query({ namespace, name, status, latestOnly, summary = false }) {
      const ofName = [...revisions.values()].filter(
        ({ release }) =>
          release.namespace === (namespace ?? release.namespace) && release.name === (name ?? release.name),
      );
      const wanted = latestOnly === true ? latestOf(ofName, ({ release }) => revisionKey(release)) : ofName;
      const ofStatus = wanted.filter(({ release }) => release.info.status === (status ?? release.info.status));
      const shown = ofStatus.map((one) => (summary ? { ...one, release: summaryOf(one.release) } : one));
      return Promise.resolve(structuredClone(shown));
    },

    requireFit: () => Promise.resolve(),

    async create(release, labels, _signal, { isOwn = false } = {}) {
      await Promise.resolve();
      if (revisions.has(keyText(revisionKey(release)))) {
        throw new ReleaseError('release_exists', 'release: already exists');
      }
      const all = { ...labels, createdAt: unixSeconds(host.now()) };
      return write({ release, labels: storageLabels(release, all), isOwn });
    },

    async update({ release, labels, resourceVersion, isOwn = false }) {
      await Promise.resolve();
      const known = revisions.get(keyText(revisionKey(release)));
      if (known === undefined) throw new ReleaseError('release_not_found', 'release: not found');
      if (known.resourceVersion !== resourceVersion) throw changedRevision();
      // as in Helm, without createdAt
      const changed = { ...customLabels(labels), modifiedAt: unixSeconds(host.now()) };
      return write({ release, labels: storageLabels(release, changed), isOwn });
    },

    async delete({ release, resourceVersion }) {
      await Promise.resolve();
      const key = keyText(revisionKey(release));
      const known = revisions.get(key);
      if (known !== undefined && known.resourceVersion !== resourceVersion) throw changedRevision();
      return revisions.delete(key);
    },
  };
}

function keyText({ namespace, name, version }: RevisionKey): string {
  return `${namespace}/${name}/${version}`;
}

function changedRevision(): ReleaseError {
  return new ReleaseError('release_conflict', 'the revision was changed by another client');
}
