import { messageOf } from '../../errors/index.ts';
import { failures, settleEach } from '../apply/concurrency.ts';
import { deleteByName, deleteSeen } from '../apply/deletion.ts';
import { OperationError } from '../error.ts';
import { type OperationState, type PhaseName, revisionOf } from '../state/operation-state.ts';
import type { Work } from '../work.ts';
import type { Phase, StateTools } from './step.ts';

/** Deletes the objects that a failed upgrade or rollback has created. */
export const cleanUpPhase: Phase<unknown> = {
  limit: 'own',
  group: 'delete',
  steps: [{ id: 'delete', name: 'delete', run: deleteCreated }],
};

async function deleteCreated(
  state: OperationState,
  { context: { cluster } }: Work<unknown>,
  tools: StateTools,
): Promise<OperationState> {
  const { signal } = tools;
  const owner = { name: state.releaseName, namespace: state.namespace };
  const options = { owner, signal, onLeft: (message: string) => tools.report({ message }) };
  const results = await settleEach(revisionOf(state).changes.created, async (object) => {
    // the answer to the creation of an object without a uid was lost
    if (object.uid === undefined) await deleteByName(cluster, object.ref, options);
    else await deleteSeen(cluster, object, options);
  });
  const problems = failures(results);
  if (problems.length === 0) return state;
  const message = `unable to cleanup resources: ${problems.map(messageOf).join(', ')}`;
  throw new OperationError('delete_failed', message, { cause: problems[0] });
}

/**
 * Returns the phases that follow a failure. `wanted` undoes a revision: it follows if the revision
 * was stored, but not after its last step, because then the release is ready. A cancel that leaves
 * the changes only stores that the revision has failed.
 */
export function undoPhases(state: OperationState, wanted: readonly PhaseName[]): readonly PhaseName[] {
  const { phase, failure, undo, revision, cancelMode } = state;
  const plan = cancelMode === undefined ? wanted : (['fail'] as const);
  if (phase === 'settle') return [];
  if (phase !== 'main') return undo?.remaining ?? [];
  if (revision?.stored === 'unknown') return ['settle', ...plan];
  return revision?.stored === 'yes' && failure?.step !== 'finish' ? plan : [];
}
