import { TaskError } from '../threads/tasks.ts';
import type { ThreadPool } from '../threads/thread-pool.ts';
import type { LargeTexts } from './large-texts.ts';
import type { WorkerTasks } from './tasks.ts';

/** Threads, and the rule that one command at a time may have large texts. */
export interface WorkerPool {
  run: ThreadPool<WorkerTasks>['run'];
  /** Runs a task again in the turn of the calling command if its output is large. */
  runSized<Output>(run: (mayBeLarge: boolean) => Promise<Output>, signal: AbortSignal): Promise<Output>;
}

/** @param large decides whose turn it is */
export function createWorkerPool(pool: ThreadPool<WorkerTasks>, large: LargeTexts): WorkerPool {
  return {
    run: (name, input, options) => pool.run(name, input, options),
    async runSized(run, signal) {
      const mayBeLarge = large.mayBeLarge();
      try {
        return await run(mayBeLarge);
      } catch (error) {
        if (mayBeLarge || !(error instanceof TaskError) || error.code !== 'large_text') throw error;
        await large.waitForTurn(signal);
        return run(true);
      }
    },
  };
}
