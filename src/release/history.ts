import type { ReleaseStorage, RevisionKey, StoredRevision } from './storage/storage.ts';
import { revisionKey } from './storage/storage.ts';

/** All revisions of a release, the oldest first; empty where there is none. */
export async function history(
  storage: ReleaseStorage,
  namespace: string,
  name: string,
  signal?: AbortSignal,
): Promise<StoredRevision[]> {
  const revisions = await storage.query({ namespace, name }, signal);
  return revisions.sort((a, b) => a.release.version - b.release.version);
}

/** The highest revision that is deployed. More than one is, where two processes worked on a release at the same time. */
export function lastDeployed(revisions: readonly StoredRevision[]): StoredRevision | undefined {
  return revisions.findLast(({ release }) => release.info.status === 'deployed');
}

/** The highest revision that once was deployed: what a failed upgrade returns to. */
export function lastSuccessful(revisions: readonly StoredRevision[]): StoredRevision | undefined {
  return revisions.findLast(({ release: { info } }) => info.status === 'deployed' || info.status === 'superseded');
}

/** Of everything that belongs to the same release, the highest revision. */
export function latestOf<T>(items: readonly T[], keyOf: (item: T) => RevisionKey): T[] {
  const latest = new Map<string, { item: T; version: number }>();
  for (const item of items) {
    const { namespace, name, version } = keyOf(item);
    const known = latest.get(`${namespace}/${name}`);
    if (known === undefined || known.version < version) latest.set(`${namespace}/${name}`, { item, version });
  }
  return Array.from(latest.values(), ({ item }) => item);
}

/**
 * Deletes the oldest revisions until `limit` are left, but never the one that is deployed. A limit below 1 is none.
 * `revisions` have the oldest first.
 */
export async function pruneHistory(
  storage: ReleaseStorage,
  revisions: readonly StoredRevision[],
  limit: number,
  signal?: AbortSignal,
): Promise<void> {
  if (limit < 1 || revisions.length <= limit) return;
  const deployed = lastDeployed(revisions);
  const removable = revisions.filter((revision) => revision !== deployed);
  for (const { release } of removable.slice(0, revisions.length - limit)) {
    await storage.delete(revisionKey(release), signal);
  }
}
