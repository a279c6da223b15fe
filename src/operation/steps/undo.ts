import type { OperationState, PhaseName } from '../state/operation-state.ts';

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
