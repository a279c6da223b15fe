import { messageOf } from '../../errors/index.ts';
import { redactedError } from '../evidence/redacted-error.ts';
import { redactionOfWork } from '../evidence/work-redaction.ts';
import type { OperationState } from '../state/operation-state.ts';
import { timeLimit } from '../time-limit.ts';
import { storedRevision, type Work } from '../work.ts';
import { recordTimeout, updateRevision } from './revisions.ts';
import { stepRunner } from './step-runner.ts';

/**
 * Removes the holder from a revision that a failed uninstallation leaves `uninstalling`: nothing
 * works on it any more. A failure to do so is only reported, and leaves the holder.
 */
export async function releaseHold(state: OperationState, work: Work<unknown>): Promise<void> {
  const { revision } = state;
  if (state.failure === undefined || revision?.deletedAt === undefined) return;
  const { context, cache } = work;
  const limit = timeLimit(recordTimeout, [context.abandon]);
  try {
    const stored = await storedRevision(work, state, revision.version, limit.signal);
    if (stored.release.info.status !== 'uninstalling') return;
    const released = await updateRevision(context.storage, { ...stored, isReleased: true }, limit.signal);
    cache.revisions.set(revision.version, released);
  } catch (error) {
    if (context.abandon?.aborted === true) throw error;
    const never = new AbortController().signal;
    const redacted = await redactedError(
      error,
      redactionOfWork(() => state, work),
      context.abandon,
    );
    await stepRunner(never, context.host, context.progress).step('finish', (tools) => {
      tools.skipped(`could not store that the operation has ended: ${messageOf(redacted)}`);
      return Promise.resolve();
    });
  } finally {
    limit.close();
  }
}
