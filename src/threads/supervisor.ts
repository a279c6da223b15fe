import type { LiveHeap } from './live-heap.ts';
import type { TaskLimits } from './messages.ts';
import { isStopRequested, writeFileName } from './shared-state.ts';
import type { Supervisor } from './tasks.ts';

/** Number of steps between two measurements of the heap. */
const stepsBetweenMeasurements = 1024;

/** Returns the supervisor of the tasks of one thread. */
export function createSupervisor(state: SharedArrayBuffer, limits: TaskLimits, liveHeap: LiveHeap): Supervisor {
  const maxBytes = limits.memoryMb * 2 ** 20;
  let steps = 0;
  return {
    enter: (file) => writeFileName(state, file),
    interruption(heavy) {
      if (isStopRequested(state)) return timeProblem(limits);
      steps++;
      if (!heavy && steps % stepsBetweenMeasurements !== 0) return undefined;
      return liveHeap(maxBytes) > maxBytes ? memoryProblem(limits) : undefined;
    },
  };
}

/** The reason why a task that takes too long is ended. */
export function timeProblem({ milliseconds }: TaskLimits): string {
  return `takes more than ${milliseconds / 1000} s; look for a template that never ends`;
}

/** The reason why a task that takes too much memory is ended. */
export function memoryProblem({ memoryMb }: TaskLimits): string {
  return `needs more than ${memoryMb} MiB of memory`;
}
