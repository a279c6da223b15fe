import type { RenderLimits } from '../limits.ts';
import type { LiveHeap } from './live-heap.ts';
import type { Watch } from '../watch.ts';

// Memory that a render thread shares with the thread that waits for it, as a thread that is busy neither hears nor says anything otherwise:
// whether it is to stop, and which template it is at.

const stopped = 0;
const pathLength = 1;
const pathStart = 8;
const maxPath = 1024;

/** How many steps go by between two looks at the heap. */
const stepsBetweenLooks = 1024;

/** Memory for one render thread. */
export function createBoard(): SharedArrayBuffer {
  return new SharedArrayBuffer(pathStart + maxPath);
}

/** Makes the board ready for the next render. */
export function resetBoard(board: SharedArrayBuffer): void {
  new Int32Array(board).fill(0, stopped, pathStart / 4);
}

/** Asks the render to stop at its next step, where it knows the line. */
export function askToStop(board: SharedArrayBuffer): void {
  Atomics.store(new Int32Array(board), stopped, 1);
}

/** The path of the template that the render is at; undefined where it is at none. */
export function templateOn(board: SharedArrayBuffer): string | undefined {
  const length = Atomics.load(new Int32Array(board), pathLength);
  return length === 0 ? undefined : Buffer.from(board, pathStart, length).toString();
}

/** For the render thread: says on the board where the render is, and ends it when it is asked to or when it has taken too much memory. */
export function reportingWatch(board: SharedArrayBuffer, limits: RenderLimits, liveHeap: LiveHeap): Watch {
  const { milliseconds, memoryMb } = limits;
  const words = new Int32Array(board);
  const path = Buffer.from(board, pathStart, maxPath);
  const maxBytes = memoryMb * 1024 * 1024;
  let steps = 0;
  return {
    begins(name) {
      Atomics.store(words, pathLength, path.write(name));
    },
    interruption(heavy) {
      if (Atomics.load(words, stopped) !== 0)
        return `takes more than ${milliseconds / 1000} seconds; look for a template that never ends`;
      steps++;
      if (!heavy && steps % stepsBetweenLooks !== 0) return undefined;
      return liveHeap(maxBytes) > maxBytes ? `needs more than ${memoryMb} MiB of memory` : undefined;
    },
  };
}
