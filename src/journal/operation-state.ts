import type { OperationState } from '../operation/state/operation-state.ts';

/**
 * Returns how far an operation is, as a text that changes with each step and each hook. A command
 * that gets further in a process is not one that ends each process in the same place.
 */
export function progressOf({ phase, step, revision }: OperationState): string {
  const hooks = (revision?.hooks ?? []).map((run) => `${run.event} ${run.hook} ${run.phase}`);
  return [phase, step, ...hooks].join('\n');
}

/** Returns a state that a journal has stored as JSON. */
export function stateOf(text: string | undefined): OperationState | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as OperationState); // as `save` wrote it
}
