import type { Host } from '../../go/host.ts';
import { ReleaseError } from '../../release/error.ts';
import { withStatus } from '../../release/release.ts';
import { isPending, isUnfinished } from '../../release/status.ts';
import type { StoredRevision } from '../../release/storage/storage.ts';
import { epochMilliseconds } from '../clock.ts';
import { OperationError } from '../error.ts';
import type { RecoverOptions } from '../request.ts';
import { type OperationState, revisionOf } from '../state/operation-state.ts';
import { durationText } from '../time-limit.ts';
import { storedRevision, type Work } from '../work.ts';
import { updateRevision } from './revisions.ts';
import type { StepTools } from './step-runner.ts';

/** Time without a write after which a client counts as ended, in milliseconds. */
const defaultRecoverAfter = 60 * 60_000;

/**
 * Whether an operation takes over a revision that another client has left unfinished. Throws
 * `pending_operation` if that client may still be working on it.
 */
export function canRecover(host: Host, revision: StoredRevision, options: RecoverOptions): boolean {
  if (options.recover !== true || !isUnfinished(revision.release.info.status)) return false;
  const { recoverAfter = defaultRecoverAfter } = options;
  const age = Math.max(0, epochMilliseconds(host) - lastWrite(revision));
  if (age >= recoverAfter) return true;
  const { version, info } = revision.release;
  const seconds = durationText(Math.floor(age / 1000) * 1000);
  throw new OperationError(
    'pending_operation',
    `another operation (install/upgrade/rollback) may be in progress: revision ${version} is ${info.status} and was written ${seconds} ago. It can be recovered ${durationText(recoverAfter)} after the last write`,
  );
}

/** Stores that a revision that was recovered has failed. */
export async function failRecovered(state: OperationState, work: Work<unknown>, tools: StepTools): Promise<void> {
  const { recovered } = revisionOf(state);
  if (recovered === undefined) return;
  const { context, cache } = work;
  const revision = await storedRevision(work, state, recovered, tools.signal);
  const { status } = revision.release.info;
  if (status === 'failed') return; // stored before an interruption
  if (!isUnfinished(status)) {
    throw new ReleaseError('release_conflict', `revision ${recovered} was changed by another client`);
  }
  const release = withStatus(revision.release, 'failed', `Recovered: its client ended while it was ${status}`);
  const stored = await updateRevision(context.storage, { ...revision, release }, tools.signal, status);
  cache.revisions.set(recovered, stored);
  tools.report({ message: `revision ${recovered} was ${status} and is failed now` });
}

/** Reports that another client may be working on the release, which does not stop the operation. */
export function reportUnfinished({ phase }: OperationState, { release }: StoredRevision, tools: StepTools): void {
  if (phase !== 'main' || !isPending(release.info.status)) return;
  const { version, info } = release;
  tools.report({ message: `revision ${version} is ${info.status}: another client may still be working on it` });
}

/** Returns when a revision was written, as far as the revision says, in milliseconds. */
function lastWrite({ release: { info, hooks = [] }, labels }: StoredRevision): number {
  const runs = hooks.flatMap(({ last_run: run }) => [run.started_at, run.completed_at]);
  const times = [info.last_deployed, info.deleted, ...runs].map((time) => Date.parse(time ?? ''));
  const seconds = [labels['createdAt'], labels['modifiedAt']].map((text) => Number(text ?? NaN) * 1000);
  return Math.max(0, ...[...times, ...seconds].filter((time) => !Number.isNaN(time)));
}
