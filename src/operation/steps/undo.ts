import type { OperationState, PhaseName } from '../state/operation-state.ts';

/**
 * Returns the phases that follow a failure. `plan` undoes a revision: it follows if the revision
 * was stored, but not after its last step, because then the release is ready.
 */
export function undoPhases(state: OperationState, plan: readonly PhaseName[]): readonly PhaseName[] {
  const { phase, failure, undo, revision } = state;
  if (phase === 'settle') return [];
  if (phase !== 'main') return undo?.remaining ?? [];
  if (revision?.stored === 'unknown') return ['settle', ...plan];
  return revision?.stored === 'yes' && failure?.step !== 'finish' ? plan : [];
}
