import { abortReason } from './abort-reason.ts';
import { createFairQueue, type Owner } from './fair-queue.ts';
import { createMemoryGuard } from './memory-guard.ts';
import type { TaskLimits, TaskOutcome } from './messages.ts';
import { startThread, type TaskThread } from './task-thread.ts';
import { TaskError, type TaskTypes } from './tasks.ts';

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
}: ThreadPoolOptions): ThreadPool<Types> {
  const idle: TaskThread[] = [];
  /** Tasks that wait for a busy thread. */
  const waiting: ((thread: TaskThread) => void)[] = [];
  const threads = new Set<TaskThread>();
  const queue = createFairQueue<() => void>();
  const running = new Map<Owner, number>();
  const closing = new AbortController();
  let idleTimer: NodeJS.Timeout | undefined;
  const guard = createMemoryGuard({
    processBytes: processMemoryMb * 2 ** 20,
    threadBytes: limits.memoryMb * 2 ** 20,
    residentBytes: () => process.memoryUsage.rss(),
  });
  // one owner leaves a thread to the others
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

  function finish(owner: Owner): void {
    const left = (running.get(owner) ?? 0) - 1;
    if (left > 0) running.set(owner, left);
    else running.delete(owner);
    startNext();
  }

  /** Resolves when it is the owner's turn. From then on the owner counts as running. */
  function waitForTurn(owner: Owner, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
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
    });
  }

  /** Keeps a thread for the next task. It is ended if no task needs it for a while. */
  function keep(thread: TaskThread): void {
    const next = waiting.shift();
    if (next !== undefined) {
      next(thread);
      return;
    }
    idle.push(thread);
    clearTimeout(idleTimer);
    idleTimer = setTimeout(() => {
      for (const spare of idle.splice(0)) void spare.end();
    }, idleMs).unref();
  }

  /** Returns an idle thread, or the first one that becomes idle soon, or a new one. */
  async function takeThread(signal: AbortSignal): Promise<TaskThread> {
    const ready = idle.pop();
    if (ready !== undefined) return ready;
    if (threads.size === 0) return newThread();
    const { promise, resolve, reject } = Promise.withResolvers<TaskThread>();
    const stopWaiting = () => {
      const index = waiting.indexOf(resolve);
      if (index !== -1) waiting.splice(index, 1);
    };
    const abort = () => {
      stopWaiting();
      reject(abortReason(signal));
    };
    const timer = setTimeout(() => {
      if (!waiting.includes(resolve)) return; // it has just got a thread
      stopWaiting();
      resolve(newThread());
    }, spareMs);
    signal.addEventListener('abort', abort, { once: true });
    waiting.push(resolve);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  function newThread(): TaskThread {
    const thread = startThread({
      moduleUrl,
      limits,
      guard,
      graceMs,
      scarceBytes: processMemoryMb * scarceShare * 2 ** 20,
    });
    threads.add(thread);
    void thread.ended.then(() => {
      threads.delete(thread);
      const index = idle.indexOf(thread);
      if (index !== -1) idle.splice(index, 1);
    });
    return thread;
  }

  return {
    async run(name, input, { owner = Symbol(name), ...options }) {
      const signal = AbortSignal.any([options.signal, closing.signal]);
      signal.throwIfAborted();
      await waitForTurn(owner, signal);
      try {
        const thread = await takeThread(signal);
        if (signal.aborted) {
          keep(thread);
          throw abortReason(signal);
        }
        const outcome = await thread.run({ task: name, input }, { ...options, signal });
        keep(thread);
        return outputOf(outcome);
      } finally {
        finish(owner);
      }
    },
    async close() {
      clearTimeout(idleTimer);
      closing.abort(new Error('the program is shutting down'));
      await Promise.all(Array.from(threads, (thread) => thread.end()));
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
