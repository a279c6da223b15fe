import { setTimeout as sleep } from 'node:timers/promises';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { ReleaseError } from '../../release/error.ts';
import type { Release } from '../../release/release.ts';
import { revisionKey, type CreateOptions, type StoredRevision } from '../../release/storage/storage.ts';
import type { OperationContext } from '../context.ts';
import { OperationError, messageOf, withPrefix } from '../error.ts';
import { settledWrite } from '../settled-write.ts';
import { timeLimit } from './time-limit.ts';
import { canRetry, isSameRevision, retryPauses } from './update-revision.ts';

/** Time limit for reading and storing a revision after the operation has ended, in milliseconds. */
export const recordTimeout = 30_000;

/** Pauses before each look for a revision that may still be created, in milliseconds. */
const lookPauses = [0, 500];

/**
 * Stores a new revision. It is the lock of the release: throws `pending_operation` if another
 * operation was first. Throws `namespace_not_found` if its namespace does not exist. If the API
 * server fails, looks whether the revision is stored, and tries again.
 */
export async function recordRevision(
  context: OperationContext,
  release: Release,
  labels: Record<string, string>,
  signal: AbortSignal,
  options: CreateOptions = {},
): Promise<StoredRevision> {
  const { storage, abandon } = context;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await settledWrite(signal, abandon, (own) => storage.create(release, labels, own, options));
    } catch (cause) {
      const found = await findCreated(context, release, cause);
      if (found !== undefined && found !== 'unknown') return found;
      if (cause instanceof ReleaseError && cause.code === 'release_exists') throw pendingOperation(cause);
      const pause = retryPauses[attempt];
      const isRepeated = found === undefined && canRetry(cause) && !signal.aborted;
      if (pause === undefined || !isRepeated) throw isRefusal(cause) ? refusedRecord(cause) : cause;
      await sleep(pause, undefined, { signal }).catch(() => {
        throw signal.aborted ? signal.reason : cause;
      });
    }
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
 * that it does not stay pending. Returns `unknown` if it cannot be looked for.
 */
async function findCreated(
  { storage, abandon }: OperationContext,
  release: Release,
  cause: unknown,
): Promise<StoredRevision | 'unknown' | undefined> {
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
    return 'unknown'; // the error of the creation says more
  } finally {
    limit.close();
  }
}

/** Whether the API server has refused a request, so that nothing was stored. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' && isClientError(error.status);
}

/** Whether a status says that the request itself was refused. After others it may be performed. */
function isClientError(status: number): boolean {
  return status >= 400 && status < 500;
}

export function pendingOperation(cause?: unknown): OperationError {
  return new OperationError('pending_operation', 'another operation (install/upgrade/rollback) is in progress', {
    cause,
  });
}
