import { abortReason } from '../async/index.ts';
import { createMemoryGuard } from './memory-guard.ts';
import type { TaskLimits, TaskOutcome } from './messages.ts';
import { createSpareThreads } from './spare-threads.ts';
import { startThread } from './task-thread.ts';
import { TaskError, type TaskTypes } from './tasks.ts';
import { createTurns } from './turns.ts';

export interface ThreadPoolOptions {
  /** Module that a thread runs: it calls `serveTasks`. */
  moduleUrl: URL;
  limits: TaskLimits;
  /** Number of tasks that run at a time. */
  size: number;
  /** Memory of this process above which the largest thread is ended, in MiB (default: none). */
  processMemoryMb?: number | undefined;
  /** Time after which idle threads are ended, in milliseconds (default: 10,000). */
  idleMs?: number;
  /**
   * Time that a task waits for a busy thread before another one is started, in milliseconds
   * (default: 200). A thread takes tens of megabytes, and most tasks a few milliseconds.
   */
  spareMs?: number;
  /**
   * Time between the request to stop, which knows the line, and the end of the thread, in
   * milliseconds (default: 3000).
   */
  graceMs?: number | undefined;
  /** Time for a thread to start, after which it is replaced, in milliseconds (default: 60,000). */
  startMs?: number | undefined;
}

interface TaskOptions {
  signal: AbortSignal;
  /** Who the task is for: tasks of one owner leave a thread to others (default: no one else). */
  owner?: string | undefined;
  /** Names what is read, for errors: `rendering chart web`. */
  subject: string;
  /** Code of the error if the task is ended by a limit (default: `render_limit`). */
  limitCode?: 'render_limit' | 'too_large';
  /** Receives the parts that the task sends ahead of its output. */
  onPart?: ((part: unknown) => void) | undefined;
}

/** Threads that run tasks. A thread whose task is ended is replaced when it is needed again. */
export interface ThreadPool<Types extends TaskTypes<Types>> {
  /**
   * Runs a task in a thread. Waiting for a thread obeys the signal.
   * Throws `TaskError` with the task's code and position, or the signal's reason.
   */
  run<Name extends keyof Types & string>(
    name: Name,
    input: Types[Name]['input'],
    options: TaskOptions,
  ): Promise<Types[Name]['output']>;
  /** Ends all threads. Tasks that run or wait fail. */
  close(): Promise<void>;
}

/** Share of the memory of the process from which on threads shrink after each task. */
const scarceShare = 0.6;

/** Returns a pool without threads: each is started when it is needed. */
export function createThreadPool<Types extends TaskTypes<Types>>({
  moduleUrl,
  limits,
  size,
  processMemoryMb = Infinity,
  idleMs = 10_000,
  spareMs = 200,
  graceMs = 3000,
  startMs = 60_000,
}: ThreadPoolOptions): ThreadPool<Types> {
  const closing = new AbortController();
  const guard = createMemoryGuard({
    processBytes: processMemoryMb * 2 ** 20,
    threadBytes: limits.memoryMb * 2 ** 20,
    residentBytes: () => process.memoryUsage.rss(),
  });
  const scarceBytes = processMemoryMb * scarceShare * 2 ** 20;
  const turns = createTurns(size);
  const threads = createSpareThreads({
    start: () => startThread({ moduleUrl, limits, guard, graceMs, scarceBytes, startMs }),
    idleMs,
    spareMs,
  });

  return {
    async run(name, input, { owner = Symbol(name), ...options }) {
      const signal = AbortSignal.any([options.signal, closing.signal]);
      signal.throwIfAborted();
      await turns.wait(owner, signal);
      try {
        const thread = await threads.take(signal);
        if (signal.aborted) {
          threads.keep(thread);
          throw abortReason(signal);
        }
        const outcome = await thread.run({ task: name, input }, { ...options, signal });
        threads.keep(thread);
        return outputOf(outcome);
      } finally {
        turns.end(owner);
      }
    },
    async close() {
      closing.abort(new Error('the program is shutting down'));
      await threads.close();
    },
  };
}

function outputOf(outcome: TaskOutcome): unknown {
  switch (outcome.type) {
    case 'done':
      return outcome.output;
    case 'failed':
      throw new TaskError(outcome.code, outcome.message, { position: outcome.position });
    case 'defect':
      throw outcome.error;
  }
}
