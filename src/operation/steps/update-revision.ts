import { setTimeout as sleep } from 'node:timers/promises';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { ReleaseError } from '../../release/error.ts';
import type { ReleaseStatus } from '../../release/status.ts';
import { revisionKey, type ReleaseStorage, type StoredRevision } from '../../release/storage/storage.ts';

/** Pauses before further attempts, in milliseconds. */
export const retryPauses = [100, 250, 500, 1000, 2000, 4000, 4000];

/**
 * Writes a revision that belongs to this operation, and returns it as it is stored. If another
 * client has changed the stored object, as with an annotation, reads it again and retries, because
 * Helm writes unconditionally. Also retries if the API server does not respond.
 *
 * Throws `release_conflict` if another client has changed the release itself: its status is not
 * `before` any more. Default of `before`: the status that is written.
 */
export async function updateRevision(
  storage: ReleaseStorage,
  revision: StoredRevision,
  signal?: AbortSignal,
  before: ReleaseStatus = revision.release.info.status,
): Promise<StoredRevision> {
  let next = revision;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await storage.update(next, signal);
    } catch (error) {
      const pause = retryPauses[attempt];
      signal?.throwIfAborted();
      if (pause === undefined || !canRetry(error)) throw error;
      await sleep(pause, undefined, signal && { signal });
      const stored = await readAgain(storage, next, signal);
      if (stored === undefined) continue;
      if (isWritten(stored, revision)) return stored;
      if (!isSameRevision(stored, revision) || stored.release.info.status !== before) throw error;
      next = { ...stored, release: revision.release };
    }
  }
}

/** Returns undefined if the revision cannot be read now. Throws if it is gone. */
async function readAgain(
  storage: ReleaseStorage,
  { release }: StoredRevision,
  signal: AbortSignal | undefined,
): Promise<StoredRevision | undefined> {
  let stored: StoredRevision | undefined;
  try {
    stored = await storage.get(revisionKey(release), signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (!canRetry(error)) throw error;
    return undefined;
  }
  if (stored === undefined) throw new ReleaseError('release_not_found', 'release: not found');
  return stored;
}

/** Whether a request to the storage may succeed later, or has succeeded although it failed. */
export function canRetry(error: unknown): boolean {
  if (error instanceof ReleaseError) return error.code === 'release_conflict';
  return (
    hasClusterErrorCode(error, 'unreachable') ||
    hasClusterErrorCode(error, 'server_error') ||
    hasClusterErrorCode(error, 'too_many_requests')
  );
}

/** Whether an earlier attempt was stored although its answer was lost. */
function isWritten(stored: StoredRevision, revision: StoredRevision): boolean {
  const { status, description } = stored.release.info;
  const { info } = revision.release;
  const isSameState = status === info.status && description === info.description;
  return isSameRevision(stored, revision) && isSameState && runsText(stored) === runsText(revision);
}

/** Returns the last runs of the hooks as text. */
function runsText({ release: { hooks = [] } }: StoredRevision): string {
  return JSON.stringify(
    hooks.map(({ last_run: { phase, started_at, completed_at } }) => [phase, started_at, completed_at]),
  );
}

/** Whether two revisions are of the same operation, not of two that chose the same number. */
export function isSameRevision(
  { release: a }: StoredRevision,
  { release: b }: Pick<StoredRevision, 'release'>,
): boolean {
  return a.info.last_deployed === b.info.last_deployed && a.manifest === b.manifest;
}
