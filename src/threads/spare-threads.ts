import { abortReason } from '../async/index.ts';
import type { TaskThread } from './task-thread.ts';

export interface SpareThreadOptions {
  start: () => TaskThread;
  /** Time after which idle threads are ended, in milliseconds. */
  idleMs: number;
  /** Time to wait for a busy thread before another one is started, in milliseconds. */
  spareMs: number;
}

/** Threads that are started when they are needed, and kept for a while after their task. */
export interface SpareThreads {
  /** Returns an idle thread, or the first one that becomes idle soon, or a new one. */
  take(signal: AbortSignal): Promise<TaskThread>;
  /** Keeps a thread for the next task. It is ended if no task needs it for a while. */
  keep(thread: TaskThread): void;
  /** Ends all threads. */
  close(): Promise<void>;
}

export function createSpareThreads({ start, idleMs, spareMs }: SpareThreadOptions): SpareThreads {
  const threads = new Set<TaskThread>();
  const idle: TaskThread[] = [];
  /** Tasks that wait for a busy thread. */
  const waiting: ((thread: TaskThread) => void)[] = [];
  let idleTimer: NodeJS.Timeout | undefined;

  function startNew(): TaskThread {
    const thread = start();
    threads.add(thread);
    void thread.ended.then(() => {
      threads.delete(thread);
      remove(idle, thread);
    });
    return thread;
  }

  async function nextIdle(signal: AbortSignal): Promise<TaskThread> {
    const { promise, resolve, reject } = Promise.withResolvers<TaskThread>();
    const abort = () => {
      remove(waiting, resolve);
      reject(abortReason(signal));
    };
    const timer = setTimeout(() => {
      if (remove(waiting, resolve)) resolve(startNew());
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

  return {
    async take(signal) {
      const ready = idle.pop();
      if (ready !== undefined) return ready;
      return threads.size === 0 ? startNew() : nextIdle(signal);
    },
    keep(thread) {
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
    },
    async close() {
      clearTimeout(idleTimer);
      await Promise.all(Array.from(threads, (thread) => thread.end()));
    },
  };
}

/** Returns whether the list had the item. */
function remove<T>(list: T[], item: T): boolean {
  const index = list.indexOf(item);
  if (index !== -1) list.splice(index, 1);
  return index !== -1;
}
