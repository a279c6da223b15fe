import { ReleaseError } from '../../release/error.ts';
import type { Release } from '../../release/release.ts';
import { withStatus } from '../../release/release.ts';
import { history, pruneHistory } from '../../release/history.ts';
import type { StoredRevision } from '../../release/storage/storage.ts';
import type { OperationContext } from '../context.ts';
import { OperationError, messageOf, withMessage } from '../error.ts';
import { timeLimit } from './time-limit.ts';

/** Time limit for storing a failure after the operation has ended, in milliseconds. */
const recordTimeout = 30_000;

/**
 * Stores a new revision, and deletes the oldest ones so that `limit` revisions are kept. The stored
 * revision is the lock of the release: throws `pending_operation` if another operation was first.
 */
export async function recordRevision(
  { storage }: OperationContext,
  release: Release,
  labels: Record<string, string>,
  limit: number,
  signal: AbortSignal,
): Promise<StoredRevision> {
  if (limit > 1)
    await pruneHistory(storage, await history(storage, release.namespace, release.name, signal), limit - 1, signal);
  try {
    return await storage.create(release, labels, signal);
  } catch (cause) {
    if (!(cause instanceof ReleaseError) || cause.code !== 'release_exists') throw cause;
    throw pendingOperation(cause);
  }
}

export function pendingOperation(cause?: unknown): OperationError {
  return new OperationError('pending_operation', 'another operation (install/upgrade/rollback) is in progress', {
    cause,
  });
}

/** Stores that the revision failed. Returns the error, extended if that could not be stored. */
export async function recordFailure(
  { storage, abandon }: OperationContext,
  revision: StoredRevision,
  description: string,
  error: unknown,
): Promise<unknown> {
  const limit = timeLimit(recordTimeout, [abandon]);
  try {
    await storage.update({ ...revision, release: withStatus(revision.release, 'failed', description) }, limit.signal);
    return error;
  } catch (second) {
    return withMessage(error, `${messageOf(error)}; the failure could not be stored: ${messageOf(second)}`);
  } finally {
    limit.close();
  }
}
