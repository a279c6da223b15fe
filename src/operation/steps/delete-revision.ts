import { setTimeout as sleep } from 'node:timers/promises';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { revisionKey, type ReleaseStorage, type StoredRevision } from '../../release/storage/storage.ts';
import { canRetry, isSameRevision, retryPauses } from './update-revision.ts';

/**
 * Deletes a stored revision. If the API server fails, or others change the revision at the same
 * moment, looks whether it is still there, and retries.
 */
export async function deleteRevision(
  storage: ReleaseStorage,
  revision: StoredRevision,
  signal: AbortSignal | undefined,
): Promise<void> {
  const key = revisionKey(revision.release);
  for (let attempt = 0; ; attempt += 1) {
    try {
      const stored = attempt === 0 ? revision : await storage.get(key, signal);
      if (stored !== undefined && isSameRevision(stored, revision)) await storage.delete(key, signal);
      return;
    } catch (error) {
      const pause = retryPauses[attempt];
      signal?.throwIfAborted();
      if (pause === undefined || !(canRetry(error) || hasClusterErrorCode(error, 'conflict'))) throw error;
      await sleep(pause, undefined, signal && { signal });
    }
  }
}
