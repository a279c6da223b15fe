import { withStatus } from '../../release/release.ts';
import { throwJoined } from '../error.ts';
import { type Failure, type OperationState, revisionOf, withRevision } from '../state/operation-state.ts';
import { timeLimit } from '../time-limit.ts';
import { ownRevision, type Work } from '../work.ts';
import { deleteExcess } from './new-revision.ts';
import { recordTimeout, supersede, updateRevision } from './revisions.ts';
import type { Phase } from './step.ts';

/** Stores that the revision has failed, with the error of the operation. */
export const failPhase: Phase<unknown> = {
  limit: 'none',
  steps: [{ id: 'fail', run: (state, work) => recordFailure(state, work, state.failure) }],
};

/** Does the same for the rollback that undoes a failed upgrade. */
export const failRollbackPhase: Phase<unknown> = {
  limit: 'none',
  steps: [{ id: 'fail', run: (state, work) => recordFailure(state, work, failureOf(state, 'rollback')) }],
};

/** Returns the failure of a phase that has ended. */
function failureOf({ undo }: OperationState, phase: string): Failure | undefined {
  return undo?.ended.findLast((ended) => ended.phase === phase)?.failure;
}

/**
 * Looks whether the revision was stored, if the operation was interrupted while it was created. If
 * it was not, there is nothing to undo.
 */
export const settlePhase: Phase<unknown> = { limit: 'none', steps: [{ id: 'settle', run: settle }] };

async function settle(state: OperationState, { context }: Work<unknown>): Promise<OperationState> {
  const { namespace, releaseName: name } = state;
  const { version, deployedAt } = revisionOf(state);
  const limit = timeLimit(recordTimeout, [context.abandon]);
  try {
    const found = await context.storage.get({ namespace, name, version }, limit.signal);
    if (found?.release.info.last_deployed === deployedAt) return withRevision(state, { stored: 'yes' });
    return { ...withRevision(state, { stored: 'no' }), undo: { ended: [], ...state.undo, remaining: [] } };
  } finally {
    limit.close();
  }
}

async function recordFailure(
  state: OperationState,
  work: Work<unknown>,
  failure: Failure | undefined,
): Promise<OperationState> {
  const { context, cache } = work;
  const limit = timeLimit(recordTimeout, [context.abandon]);
  const errors: unknown[] = [];
  try {
    await supersedeBaseline(state, work, failure, limit.signal).catch((error: unknown) => errors.push(error));
    const own = await ownRevision(work, state, limit.signal);
    const failed = withStatus(own.release, 'failed', failureDescription(state, failure));
    const { status } = own.release.info;
    const stored = await updateRevision(context.storage, { ...own, release: failed }, limit.signal, status);
    cache.revisions.set(failed.version, stored);
    await deleteExcess(state, work, limit.signal);
  } catch (error) {
    errors.push(error);
  } finally {
    limit.close();
  }
  throwJoined(errors, '; ');
  return state;
}

/**
 * As in Helm, a rollback that could not change all objects supersedes the revision that it started
 * from, because some objects may be those of the new one.
 */
async function supersedeBaseline(
  state: OperationState,
  { context: { storage } }: Work<unknown>,
  failure: Failure | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { action, baselines } = revisionOf(state);
  if (action !== 'rollback' || failure?.step !== 'apply') return;
  const { namespace, releaseName: name } = state;
  for (const version of baselines) {
    const stored = await storage.get({ namespace, name, version }, signal);
    if (stored !== undefined) await supersede(storage, stored, signal);
  }
}

/** Returns the description of a failed revision, as Helm words it. */
function failureDescription(state: OperationState, failure: Failure | undefined): string {
  const name = JSON.stringify(state.releaseName);
  const { action } = revisionOf(state);
  const text = `failed: ${failure?.error.message ?? ''}`;
  if (action === 'upgrade') return `Upgrade ${name} ${text}`;
  return action === 'rollback' && failure?.step !== 'wait' ? `Rollback ${name} ${text}` : `Release ${name} ${text}`;
}
