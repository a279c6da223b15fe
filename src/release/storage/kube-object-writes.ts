import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import type { KubeObject } from '../../objects/object.ts';
import { releaseCodec } from '../codec.ts';
import { ReleaseError } from '../error.ts';
import type { Release } from '../release.ts';
import { unixSeconds } from '../time.ts';
import type { KubeStorageOptions, ReleaseCluster } from './kube-storage-options.ts';
import { adoptParts, createParts, headOf, partsOf } from './parts.ts';
import {
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
import { customLabels, type ReleaseStorage, type StoredRevision } from './storage.ts';

/** Returns the writing half of a storage with an object for each revision. */
export function writeStoredRevisions(
  format: ObjectFormat,
  { cluster, host, holder, codec = releaseCodec }: KubeStorageOptions,
): Pick<ReleaseStorage, 'create' | 'requireRoom' | 'update' | 'delete'> {
  const { kind } = format;

  /** The head comes last, so that a revision that exists is complete. */
  async function createInParts(
    release: Release,
    encoded: string,
    labels: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<StoredRevision> {
    const parts = partsOf(release, encoded);
    const head = await encodeRevision(format, codec, headOf(release, parts), { labels, holder }, signal);
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
    return { ...storedRevision(release, stored), parts };
  }

  function requireChunks(release: Release, encoded: string, chunked: boolean): void {
    if (!chunked || partsOf(release, encoded).count > maxParts) {
      throw tooLarge(kind, release.name, encoded.length, chunked);
    }
  }

  return {
    async create(release, labels, signal, { chunked = false } = {}) {
      const allLabels = { ...labels, createdAt: unixSeconds(host.now()) };
      const encoded = await codec.encode(release, signal);
      if (fitsObject(encoded)) {
        const object = revisionObject(format, release, encoded, { labels: allLabels, holder });
        return storedRevision(release, await createNew(cluster, object, signal));
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
        // as in Helm, without createdAt
        { labels: { ...customLabels(labels), modifiedAt: unixSeconds(host.now()) }, holder },
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
