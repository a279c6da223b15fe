import type { OperationState } from './operation-state.ts';

/** Stores the states of operations, so that another process can continue them. */
export interface Checkpoints {
  /**
   * Stores a state in place of earlier ones of the same operation. Called before each effect that
   * cannot be found again by its identity, and after each step. A state that is not needed may be
   * lost: what was done since the last one is found again or can be repeated. Must not reject.
   */
  save(state: OperationState, isNeeded: boolean): Promise<void>;
}
