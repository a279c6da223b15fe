import type { Release } from '../../release/release.ts';
import { withStatus } from '../../release/release.ts';
import { history, pruneHistory } from '../../release/history.ts';
import type { StoredRevision } from '../../release/storage/storage.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import { hasCode, messageOf, withMessage } from '../error-code.ts';
import { timeLimit } from './time-limit.ts';

/** For what must be stored after the operation's time is over, in milliseconds. */
const recordTimeout = 30_000;

/**
 * Stores a new revision, and drops the oldest so that not more than `limit` are kept. That it is created only once is the lock between
 * two operations on a release: throws `pending_operation` where another one was first.
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
    if (!hasCode(cause, 'release_exists')) throw cause;
    throw pendingOperation(cause);
  }
}

export function pendingOperation(cause?: unknown): OperationError {
  return new OperationError('pending_operation', 'another operation (install/upgrade/rollback) is in progress', {
    cause,
  });
}

/** Stores that the revision failed, and answers the error of its operation; it says so where even that could not be stored. */
export async function recordFailure(
  { storage, abandon }: OperationContext,
  revision: StoredRevision,
  description: string,
  error: unknown,
): Promise<unknown> {
  const limit = timeLimit(recordTimeout, abandon);
  try {
    await storage.update({ ...revision, release: withStatus(revision.release, 'failed', description) }, limit.signal);
    return error;
  } catch (second) {
    return withMessage(error, `${messageOf(error)}; and that it failed could not be stored: ${messageOf(second)}`);
  } finally {
    limit.close();
  }
}
