import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import { abortReason } from '../async/index.ts';
import { usedBytes } from './live-heap.ts';
import type { GuardedThread, MemoryGuard } from './memory-guard.ts';
import type { TaskLimits, TaskOutcome, TaskRequest, ThreadMessage, ThreadSetup } from './messages.ts';
import { confirmPart, createSharedState, readFileName, requestStop, resetSharedState } from './shared-state.ts';
import { memoryProblem, timeProblem } from './supervisor.ts';
import { TaskError } from './tasks.ts';
import { watchTime } from './time-limit.ts';

/** Helm's include depth of 1,000 needs far more stack than a thread has by default. */
const stackSizeMb = 256;

/** Time for a thread to report the size of its heap. */
const reportMs = 100;

/**
 * Heap that V8 gives a thread. Tasks are ended earlier, by their own limit or by the memory guard:
 * if V8 itself runs out of memory for something large, it ends the process, not the thread.
 */
const heapMb = ({ memoryMb }: TaskLimits) => memoryMb + 1024;

/** Size of the part of the heap for new values: V8's default lets much garbage pile up. */
const youngGenerationMb = 16;

export interface ThreadOptions {
  moduleUrl: URL;
  limits: TaskLimits;
  guard: MemoryGuard;
  /** Time between the request to stop, which knows the line, and the end of the thread. */
  graceMs: number;
  /** Resident memory of the process from which on the thread shrinks after each task, in bytes. */
  scarceBytes: number;
  /** Time for the thread to start, after which it is ended. */
  startMs: number;
}

interface RunOptions {
  signal: AbortSignal;
  subject: string;
  limitCode?: 'render_limit' | 'too_large';
  onPart?: ((part: unknown) => void) | undefined;
}

/** A thread that runs one task at a time. */
export interface TaskThread {
  /** Runs a task. Resolves to its outcome; rejects if the thread had to be ended. */
  run(request: TaskRequest, options: RunOptions): Promise<TaskOutcome>;
  end(): Promise<void>;
  /** Resolves when the thread has ended, or has failed and is about to end. */
  readonly ended: Promise<void>;
}

/** Starts a thread. It keeps the process alive only while it runs a task. */
export function startThread(options: ThreadOptions): TaskThread {
  const { moduleUrl, limits, guard, graceMs, scarceBytes, startMs } = options;
  const state = createSharedState();
  const worker = new Worker(moduleUrl, {
    env: {},
    workerData: { limits, state, scarceBytes } satisfies ThreadSetup,
    resourceLimits: {
      stackSizeMb,
      maxOldGenerationSizeMb: heapMb(limits),
      maxYoungGenerationSizeMb: youngGenerationMb,
    },
  });
  worker.unref();
  const ended = new Promise<void>((resolve) => worker.once('error', () => resolve()).once('exit', () => resolve()));
  const ready = new Promise<void>((resolve) => worker.once('message', () => resolve()));
  const end = async () => {
    await worker.terminate();
  };
  let fail = warnOfError;
  // for as long as the thread lives: an error without a listener would end the process
  worker.on('error', (error: Error) => fail(error));

  async function run(request: TaskRequest, options: RunOptions): Promise<TaskOutcome> {
    const { signal, onPart } = options;
    const { promise, resolve, reject } = Promise.withResolvers<TaskOutcome>();
    const exceed = (problem: string, cause?: Error) => reject(limitError(state, problem, options, cause));
    const timers: NodeJS.Timeout[] = [];
    const onTimeExceeded = () => {
      requestStop(state);
      timers.push(setTimeout(exceed, graceMs, timeProblem(limits)));
    };
    let stopWatch: (() => void) | undefined;
    const guarded: GuardedThread = { heapBytes: () => heapBytesOf(worker), end: exceed };
    const receive = (message: ThreadMessage) => {
      if (message.type === 'ready') return;
      if (message.type !== 'part') {
        resolve(message);
        return;
      }
      onPart?.(message.part);
      setImmediate(confirmPart, state);
    };
    const exit = () => reject(new Error('the thread has ended'));
    const abort = () => reject(abortReason(signal));
    signal.throwIfAborted();
    resetSharedState(state);
    fail = (error) => (isOutOfMemory(error) ? exceed(memoryProblem(limits), error) : reject(error));
    worker.on('message', receive).once('exit', exit);
    signal.addEventListener('abort', abort, { once: true });
    worker.ref();
    const starting = setTimeout(() => reject(new Error(`a thread did not start within ${startMs} ms`)), startMs);
    timers.push(starting);
    try {
      await Promise.race([ready, promise]);
      clearTimeout(starting);
      guard.add(guarded);
      stopWatch = watchTime(worker, limits.milliseconds, onTimeExceeded);
      worker.postMessage(request);
      return await promise;
    } catch (error) {
      await end();
      throw error;
    } finally {
      worker.unref();
      guard.remove(guarded);
      stopWatch?.();
      timers.forEach(clearTimeout);
      signal.removeEventListener('abort', abort);
      fail = warnOfError;
      worker.off('message', receive).off('exit', exit);
    }
  }

  return { run, end, ended };
}

/** Reports an error of a thread that has no task: no one else learns of it. */
function warnOfError(error: Error): void {
  process.emitWarning('a thread failed while it had no task', { detail: inspect(error) });
}

async function heapBytesOf(worker: Worker): Promise<number | undefined> {
  const report = worker.getHeapStatistics().then(usedBytes);
  // a thread that has ended meanwhile rejects
  return Promise.race([report.catch(() => 0), sleep(reportMs, undefined, { ref: false })]);
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** The error of a task that was ended from outside: its line is not known, only its file. */
function limitError(
  state: SharedArrayBuffer,
  problem: string,
  { subject, limitCode = 'render_limit' }: RunOptions,
  cause: Error | undefined,
): TaskError {
  const file = readFileName(state);
  const prefix = file === undefined ? '' : `${file}: `;
  return new TaskError(limitCode, `${prefix}${subject} ${problem}`, {
    position: file === undefined ? undefined : { file },
    cause,
  });
}
