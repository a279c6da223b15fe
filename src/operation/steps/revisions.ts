import { retry, sleep } from '../../async/index.ts';
import { messageOf } from '../../errors/index.ts';
import { hasClusterErrorCode, isTemporary } from '../../objects/cluster-error.ts';
import { ReleaseError } from '../../release/error.ts';
import type { Release } from '../../release/release.ts';
import type { ReleaseStatus } from '../../release/status.ts';
import {
  type CreateOptions,
  type ReleaseStorage,
  revisionKey,
  type StoredRevision,
} from '../../release/storage/storage.ts';
import { settledWrite } from '../certain-writes.ts';
import type { OperationContext } from '../context.ts';
import { OperationError, withPrefix } from '../error.ts';
import { timeLimit } from '../time-limit.ts';

/** Time limit for reading and storing a revision after the operation has ended, in milliseconds. */
export const recordTimeout = 30_000;

/** Pauses before each look for a revision that may still be created, in milliseconds. */
const lookPauses = [0, 500];

/**
 * Stores a new revision. It is the lock of the release: throws `pending_operation` if another
 * operation was first, and `release_corrupt` if a revision with its number cannot be read. Throws
 * `namespace_not_found` if its namespace does not exist. If the API server fails, looks whether the
 * revision is stored, and tries again.
 */
export async function recordRevision(
  context: OperationContext,
  release: Release,
  labels: Record<string, string>,
  signal: AbortSignal,
  options: CreateOptions = {},
): Promise<StoredRevision> {
  const { storage, abandon } = context;
  let mayExist = false;
  const create = async () => {
    try {
      return await settledWrite(signal, abandon, (own) => storage.create(release, labels, own, options));
    } catch (cause) {
      const found = await findCreated(context, release, cause);
      if (found instanceof ReleaseError) throw withPrefix(`revision ${release.version} exists`, found);
      if (found !== undefined && found !== 'unknown') return found;
      if (cause instanceof ReleaseError && cause.code === 'release_exists') throw pendingOperation(cause);
      mayExist = found === 'unknown';
      throw cause;
    }
  };
  const isRepeated = (error: unknown) => !mayExist && !signal.aborted && canRetry(error);
  return await retry(create, { pauses: retryPauses, canRetry: isRepeated, signal }).catch((error: unknown) => {
    throw isRefusal(error) ? refusedRecord(error) : error;
  });
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
 * that it does not stay pending. Returns `unknown` if it cannot be looked for, and what is wrong
 * with it if it cannot be read.
 */
async function findCreated(
  { storage, abandon }: OperationContext,
  release: Release,
  cause: unknown,
): Promise<StoredRevision | ReleaseError | 'unknown' | undefined> {
  if (isRefusal(cause)) return undefined;
  const limit = timeLimit(recordTimeout, [abandon]);
  try {
    for (const pause of lookPauses) {
      await sleep(pause, limit.signal);
      const stored = await storage.get(revisionKey(release), limit.signal);
      if (stored !== undefined) return isSameRevision(stored, { release }) ? stored : undefined;
    }
    return undefined;
  } catch (error) {
    return error instanceof ReleaseError ? error : 'unknown'; // the error of the creation says more
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

/** Pauses before further attempts, in milliseconds. */
const retryPauses = [100, 250, 500, 1000, 2000, 4000, 4000];

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
  /** The error of the attempt before, which is thrown if the stored revision is another one now. */
  let refusal: unknown;
  return await retry(
    async (failures) => {
      const stored = failures === 0 ? undefined : await readAgain(storage, next, signal);
      if (stored !== undefined) {
        if (isWritten(stored, revision)) return stored;
        if (!isSameRevision(stored, revision) || stored.release.info.status !== before) throw refusal;
        next = { ...stored, release: revision.release, isOwn: revision.isOwn ?? false };
      }
      refusal = undefined;
      return await storage.update(next, signal);
    },
    {
      pauses: retryPauses,
      canRetry(error) {
        signal?.throwIfAborted();
        if (error === refusal) return false;
        refusal = error;
        return canRetry(error);
      },
      signal,
    },
  );
}

/** Changes of a superseded revision besides its status. Default: none. */
interface SupersededChanges {
  description?: string;
  config?: Release['config'] | undefined;
}

/** Marks a revision as superseded by a newer one. */
export async function supersede(
  storage: ReleaseStorage,
  revision: StoredRevision,
  signal: AbortSignal | undefined,
  { description, config }: SupersededChanges = {},
): Promise<void> {
  const { info } = revision.release;
  const superseded = { ...info, status: 'superseded' as const, ...(description !== undefined && { description }) };
  const release = { ...revision.release, info: superseded, ...(config && { config }) };
  await updateRevision(storage, { ...revision, release }, signal, info.status);
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
function canRetry(error: unknown): boolean {
  if (error instanceof ReleaseError) return error.code === 'release_conflict';
  return isTemporary(error);
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
function isSameRevision({ release: a }: StoredRevision, { release: b }: Pick<StoredRevision, 'release'>): boolean {
  return a.info.last_deployed === b.info.last_deployed && a.manifest === b.manifest;
}

/**
 * Deletes a stored revision as it was read. If the API server fails, or others have changed it
 * since, looks whether it is still there, and retries.
 */
export async function deleteRevision(
  storage: ReleaseStorage,
  revision: StoredRevision,
  signal: AbortSignal | undefined,
): Promise<void> {
  const key = revisionKey(revision.release);
  await retry(
    async (failures) => {
      const stored = failures === 0 ? revision : await storage.get(key, signal);
      if (stored !== undefined && isSameRevision(stored, revision)) await storage.delete(stored, signal);
    },
    { pauses: retryPauses, canRetry, signal },
  );
}
