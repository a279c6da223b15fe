import { abortReason } from '../async/index.ts';
import { createFairQueue, type Owner } from './fair-queue.ts';

/** A limited number of turns that owners share fairly. */
export interface Turns {
  /** Resolves when it is the owner's turn, or rejects with the signal's reason. */
  wait(owner: Owner, signal: AbortSignal): Promise<void>;
  /** Ends a turn of the owner. */
  end(owner: Owner): void;
}

/**
 * Returns turns of which `size` run at a time. One owner leaves a turn to the others if there is
 * more than one.
 */
export function createTurns(size: number): Turns {
  const queue = createFairQueue<() => void>();
  const running = new Map<Owner, number>();
  const mostOfOne = Math.max(1, size - 1);

  function startNext(): void {
    const busy = Array.from(running.values()).reduce((sum, count) => sum + count, 0);
    if (busy >= size) return;
    const next = queue.next(running, mostOfOne);
    if (next === undefined) return;
    running.set(next.owner, (running.get(next.owner) ?? 0) + 1);
    next.item();
    startNext();
  }

  return {
    wait: (owner, signal) =>
      new Promise((resolve, reject) => {
        const start = () => {
          signal.removeEventListener('abort', abort);
          resolve();
        };
        const abort = () => {
          queue.remove(start);
          reject(abortReason(signal));
        };
        signal.addEventListener('abort', abort, { once: true });
        queue.push(owner, start);
        startNext();
      }),
    end(owner) {
      const left = (running.get(owner) ?? 0) - 1;
      if (left > 0) running.set(owner, left);
      else running.delete(owner);
      startNext();
    },
  };
}
