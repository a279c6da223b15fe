import type { Checkpoints } from '../../../src/operation/state/checkpoints.ts';
import type { OperationState } from '../../../src/operation/state/operation-state.ts';

/** Returns checkpoints that live as long as the process. */
export function memoryCheckpoints(): Checkpoints & { find(id: string): OperationState | undefined } {
  const texts = new Map<string, string>();
  return {
    save(state) {
      texts.set(state.id, JSON.stringify(state));
      return Promise.resolve();
    },
    find(id) {
      const text = texts.get(id);
      return text === undefined ? undefined : (JSON.parse(text) as OperationState); // as `save` wrote it
    },
  };
}
