import type { RenderLimits } from '../limits.ts';
import type { RenderSupervisor } from '../render-supervisor.ts';
import type { LiveHeap } from './live-heap.ts';

// The board is memory that a render thread shares with the thread that waits for it. A busy thread
// can neither receive nor send messages, so the board holds the request to stop and the path of the
// current template.

const stopRequested = 0;
const pathLength = 1;
const pathStart = 8;
const maxPath = 1024;

/** Number of steps between two checks of the heap. */
const stepsPerHeapCheck = 1024;

/** Creates the board of one render thread. */
export function createBoard(): SharedArrayBuffer {
  return new SharedArrayBuffer(pathStart + maxPath);
}

/** Clears the board for the next render. */
export function resetBoard(board: SharedArrayBuffer): void {
  new Int32Array(board).fill(0, stopRequested, pathStart / 4);
}

/** Asks the render to stop at its next step, so that the error has a line. */
export function requestStop(board: SharedArrayBuffer): void {
  Atomics.store(new Int32Array(board), stopRequested, 1);
}

/** Returns the path of the template that is being rendered; undefined if there is none. */
export function currentTemplate(board: SharedArrayBuffer): string | undefined {
  const length = Atomics.load(new Int32Array(board), pathLength);
  return length === 0 ? undefined : Buffer.from(board, pathStart, length).toString();
}

/**
 * Returns the supervisor that a render thread uses: it writes the current template to the board,
 * and ends the render when the board requests a stop or the heap exceeds the memory limit.
 */
export function createSupervisor(board: SharedArrayBuffer, limits: RenderLimits, liveHeap: LiveHeap): RenderSupervisor {
  const { milliseconds, memoryMb } = limits;
  const words = new Int32Array(board);
  const path = Buffer.from(board, pathStart, maxPath);
  const maxBytes = memoryMb * 1024 * 1024;
  let steps = 0;
  return {
    startTemplate(name) {
      Atomics.store(words, pathLength, path.write(name));
    },
    interruption(heavy) {
      if (Atomics.load(words, stopRequested) !== 0)
        return `takes more than ${milliseconds / 1000} seconds; look for a template that never ends`;
      steps++;
      if (!heavy && steps % stepsPerHeapCheck !== 0) return undefined;
      return liveHeap(maxBytes) > maxBytes ? `needs more than ${memoryMb} MiB of memory` : undefined;
    },
  };
}
