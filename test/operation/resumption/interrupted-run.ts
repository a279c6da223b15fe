import type { OperationContext } from '../../../src/operation/context.ts';
import type { OperationState } from '../../../src/operation/state/operation-state.ts';
import { memoryCheckpoints } from './memory-checkpoints.ts';

/**
 * When a run is interrupted: never, after each checkpoint, or before each checkpoint is stored, so
 * that what was done since the one before is done again. `after needed checkpoints only`: each
 * process gets one checkpoint further than the one before it, and stores only the needed ones.
 */
export type Interruption =
  'never' | 'after each checkpoint' | 'before each checkpoint' | 'after needed checkpoints only';

const id = 'operation-1';

/** More than any operation of a scenario has checkpoints. */
const maxInterruptions = 200;

export interface Run {
  /** Undefined if the operation has failed. */
  outcome: unknown;
  error: unknown;
  /** The phases and steps of the stored states. */
  states: string[];
  interruptions: number;
}

/** An operation that can be continued. */
export interface Resumable {
  start(context: OperationContext): Promise<unknown>;
  resume(context: OperationContext, state: OperationState): Promise<unknown>;
}

/**
 * Runs an operation, and after each interruption continues it from the text of the last stored
 * state. `newContext` returns a context that shares nothing with earlier ones.
 */
export async function run(
  operation: Resumable,
  newContext: () => OperationContext,
  interruption: Interruption,
): Promise<Run> {
  const states: string[] = [];
  const checkpoints = memoryCheckpoints();
  let saves = 0;
  let interruptions = 0;
  for (;;) {
    const process = new AbortController();
    if (interruption === 'after needed checkpoints only') saves = 0;
    const save = async (state: OperationState, isNeeded: boolean) => {
      saves += 1;
      if (interruption === 'after needed checkpoints only') {
        if (isNeeded) await checkpoints.save(state, isNeeded);
        if (isNeeded) states.push(`${state.phase} ${state.step}`);
        if (saves > interruptions) process.abort(new Error('the process has ended'));
        return;
      }
      const isLost = interruption === 'before each checkpoint' && saves % 2 === 1;
      if (!isLost) {
        await checkpoints.save(state, isNeeded);
        states.push(`${state.phase} ${state.step}`);
      }
      if (isLost || interruption === 'after each checkpoint') process.abort(new Error('the process has ended'));
    };
    const context = { ...newContext(), id, abandon: process.signal, checkpoints: { save } };
    const stored = checkpoints.find(id);
    try {
      const outcome = await (stored === undefined ? operation.start(context) : operation.resume(context, stored));
      return { outcome, error: undefined, states, interruptions };
    } catch (error) {
      if (!process.signal.aborted) return { outcome: undefined, error, states, interruptions };
      interruptions += 1;
      if (interruptions === maxInterruptions)
        throw new Error(`the operation makes no progress after ${states.join()}`, { cause: error });
    }
  }
}
