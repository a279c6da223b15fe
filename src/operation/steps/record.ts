import { setTimeout as sleep } from 'node:timers/promises';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { ReleaseError } from '../../release/error.ts';
import type { Release } from '../../release/release.ts';
import { revisionKey, type CreateOptions, type StoredRevision } from '../../release/storage/storage.ts';
import type { OperationContext } from '../context.ts';
import { OperationError, messageOf, withPrefix } from '../error.ts';
import { settledWrite } from '../settled-write.ts';
import { timeLimit } from './time-limit.ts';
import { isSameRevision } from './update-revision.ts';

/** Time limit for reading and storing a revision after the operation has ended, in milliseconds. */
export const recordTimeout = 30_000;

/** Pauses before each look for a revision that may still be created, in milliseconds. */
const lookPauses = [0, 500];

/**
 * Stores a new revision. It is the lock of the release: throws `pending_operation` if another
 * operation was first. Throws `namespace_not_found` if its namespace does not exist.
 */
export async function recordRevision(
  context: OperationContext,
  release: Release,
  labels: Record<string, string>,
  signal: AbortSignal,
  options: CreateOptions = {},
): Promise<StoredRevision> {
  const { storage } = context;
  try {
    return await settledWrite(signal, context.abandon, (own) => storage.create(release, labels, own, options));
  } catch (cause) {
    const own = await findCreated(context, release, cause);
    if (own !== undefined) return own;
    if (cause instanceof ReleaseError && cause.code === 'release_exists') throw pendingOperation(cause);
    throw isRefusal(cause) ? refusedRecord(cause) : cause;
  }
}

/** Returns the error for a revision that the API server refuses, with Helm's text. */
function refusedRecord(cause: unknown): OperationError {
  const error = withPrefix('create: failed to create', cause);
  if (!hasClusterErrorCode(cause, 'not_found')) return error;
  return new OperationError('namespace_not_found', messageOf(error), { cause });
}

/**
 * Returns the revision if it was stored although its creation failed: the connection broke before
 * the answer, or the operation was cancelled. The caller then continues with it or undoes it, so
 * that it does not stay pending.
 */
async function findCreated(
  { storage, abandon }: OperationContext,
  release: Release,
  cause: unknown,
): Promise<StoredRevision | undefined> {
  if (isRefusal(cause)) return undefined;
  const limit = timeLimit(recordTimeout, [abandon]);
  try {
    for (const pause of lookPauses) {
      await sleep(pause, undefined, { signal: limit.signal });
      const stored = await storage.get(revisionKey(release), limit.signal);
      if (stored !== undefined) return isSameRevision(stored, { release }) ? stored : undefined;
    }
    return undefined;
  } catch {
    return undefined; // the error of the creation says more
  } finally {
    limit.close();
  }
}

/** Whether the API server has refused a request, so that nothing was stored. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status >= 400;
}

export function pendingOperation(cause?: unknown): OperationError {
  return new OperationError('pending_operation', 'another operation (install/upgrade/rollback) is in progress', {
    cause,
  });
}
