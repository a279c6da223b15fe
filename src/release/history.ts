import type { ReleaseStorage, RevisionQuery, StoredRevision } from './storage/storage.ts';

/**
 * Returns all revisions of a release, the oldest first. Empty for an unknown release. Fails if none
 * of its revisions can be read, unless these are reported.
 */
export async function history(
  storage: ReleaseStorage,
  namespace: string,
  name: string,
  signal?: AbortSignal,
  onUnreadable?: RevisionQuery['onUnreadable'],
): Promise<StoredRevision[]> {
  const revisions = await storage.query({ namespace, name, ...(onUnreadable && { onUnreadable }) }, signal);
  return revisions.sort((a, b) => a.release.version - b.release.version);
}

/**
 * Returns the highest deployed revision. There is more than one if two processes worked on a
 * release at the same time.
 */
export function lastDeployed(revisions: readonly StoredRevision[]): StoredRevision | undefined {
  return revisions.findLast(({ release }) => release.info.status === 'deployed');
}

/** Returns the highest revision that is or was deployed: a failed upgrade rolls back to it. */
export function lastSuccessful(revisions: readonly StoredRevision[]): StoredRevision | undefined {
  return revisions.findLast(({ release: { info } }) => info.status === 'deployed' || info.status === 'superseded');
}

/**
 * Returns the oldest revisions, without which at most `limit` are left, but never the deployed one.
 * `revisions` are sorted, the oldest first.
 */
export function excessRevisions(revisions: readonly StoredRevision[], limit: number): StoredRevision[] {
  const deployed = lastDeployed(revisions);
  const removable = revisions.filter((revision) => revision !== deployed);
  return removable.slice(0, Math.max(0, revisions.length - limit));
}
