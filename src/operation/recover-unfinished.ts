import { withStatus } from '../release/release.ts';
import { isUnfinished } from '../release/status.ts';
import type { ReleaseStorage, RevisionKey } from '../release/storage/storage.ts';
import { updateRevision } from './steps/revisions.ts';

/**
 * Stores that a revision has failed, because the process that worked on it has ended. Returns the
 * status that it had, or undefined if it was not unfinished any more.
 */
export async function recoverUnfinished(
  storage: ReleaseStorage,
  key: RevisionKey,
  signal: AbortSignal,
): Promise<string | undefined> {
  const revision = await storage.get(key, signal);
  const status = revision?.release.info.status;
  if (revision === undefined || status === undefined || !isUnfinished(status)) return undefined;
  const release = withStatus(revision.release, 'failed', `Recovered: its agent ended while it was ${status}`);
  await updateRevision(storage, { ...revision, release }, signal, status);
  return status;
}
