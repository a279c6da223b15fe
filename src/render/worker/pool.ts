import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { RenderLimits } from '../limits.ts';
import { RenderError } from '../render-error.ts';
import type { WorkerReply, WorkerRequest, WorkerSetup } from './messages.ts';
import { createBoard, currentTemplate, requestStop, resetBoard } from './progress-board.ts';

/** Helm's include depth of 1,000 needs far more stack than a thread has by default. */
const stackSizeMb = 256;

/**
 * Time in milliseconds that a render past its time limit has left to reach its next step, where it
 * fails with a line number. After that the thread is ended.
 */
const graceMs = 1000;

/**
 * Heap size of a thread for V8, in MiB. A render checks its own, lower limit at each step and may
 * need more between two steps. The margin matters: if V8 runs out of memory for one large
 * allocation, it ends the whole process instead of the thread.
 */
const heapMb = ({ memoryMb }: RenderLimits) => memoryMb + 1024;

export interface WorkerPoolOptions {
  /** Module that calls `serveRenders`. */
  workerUrl: URL;
  limits: RenderLimits;
  /** Number of renders that run at the same time. */
  size: number;
}

/** A thread and its progress board. */
interface RenderThread {
  worker: Worker;
  board: SharedArrayBuffer;
}

/**
 * Pool of threads that render one chart at a time each. A thread that takes too long or needs too
 * much memory is ended, and replaced when another is needed.
 */
export interface WorkerPool {
  run(request: WorkerRequest, signal: AbortSignal): Promise<WorkerReply>;
  /** Ends all threads. Renders that are running fail. */
  close(): Promise<void>;
}

export function createWorkerPool({ workerUrl, limits, size }: WorkerPoolOptions): WorkerPool {
  const idle: RenderThread[] = [];
  const all = new Set<Worker>();
  const waiting: (() => void)[] = [];
  let busy = 0;

  async function run(request: WorkerRequest, signal: AbortSignal): Promise<WorkerReply> {
    signal.throwIfAborted();
    if (busy >= size) await new Promise<void>((resolve) => waiting.push(resolve));
    busy++;
    try {
      signal.throwIfAborted();
      const thread = idle.pop() ?? (await start(signal));
      thread.worker.ref();
      const reply = await replyOf(thread, request, signal);
      thread.worker.unref();
      idle.push(thread);
      return reply;
    } finally {
      busy--;
      waiting.shift()?.();
    }
  }

  async function start(signal: AbortSignal): Promise<RenderThread> {
    const board = createBoard();
    const worker = new Worker(workerUrl, {
      env: {},
      workerData: { limits, board } satisfies WorkerSetup,
      resourceLimits: { stackSizeMb, maxOldGenerationSizeMb: heapMb(limits) },
    });
    all.add(worker);
    worker.once('exit', () => all.delete(worker));
    await untilReady(worker, signal);
    return { worker, board };
  }

  /** Ends the worker before it rejects. */
  async function replyOf(thread: RenderThread, request: WorkerRequest, signal: AbortSignal): Promise<WorkerReply> {
    const { worker, board } = thread;
    const done = new AbortController();
    const { promise, resolve, reject } = Promise.withResolvers<WorkerReply>();
    const { name } = request.chart.metadata;
    resetBoard(board);
    const stopTimer = setTimeout(() => requestStop(board), limits.milliseconds);
    const endTimer = setTimeout(() => reject(tooLong(name, board, limits)), limits.milliseconds + graceMs);
    const failed = (error: Error) => reject(failureOf(error, name, board, limits));
    const ended = () => reject(new Error('the render thread has ended'));
    const aborted = () => reject(reasonOf(signal));
    worker.once('message', resolve).once('error', failed).once('exit', ended);
    signal.addEventListener('abort', aborted, { once: true, signal: done.signal });
    try {
      worker.postMessage(request);
      return await promise;
    } catch (error) {
      await worker.terminate();
      throw error;
    } finally {
      clearTimeout(stopTimer);
      clearTimeout(endTimer);
      done.abort();
      worker.off('message', resolve).off('error', failed).off('exit', ended);
    }
  }

  return {
    run,
    async close() {
      await Promise.all(Array.from(all, (worker) => worker.terminate()));
    },
  };
}

/** Waits until the thread has loaded its modules, which does not count as time of a render. */
async function untilReady(worker: Worker, signal: AbortSignal): Promise<void> {
  const exited = new AbortController();
  const onExit = () => exited.abort();
  worker.once('exit', onExit);
  try {
    await once(worker, 'message', { signal: AbortSignal.any([signal, exited.signal]) });
  } catch (error) {
    await worker.terminate();
    if (signal.aborted) throw reasonOf(signal);
    throw exited.signal.aborted ? new Error('the render thread has ended') : error;
  } finally {
    worker.off('exit', onExit);
  }
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('the render was cancelled');
}

function tooLong(chart: string, board: SharedArrayBuffer, { milliseconds }: RenderLimits): RenderError {
  const problem = `takes more than ${milliseconds / 1000} seconds; look for a template that never ends`;
  return overLimit(chart, board, problem);
}

function failureOf(error: Error, chart: string, board: SharedArrayBuffer, { memoryMb }: RenderLimits): Error {
  if (!('code' in error) || error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
  return overLimit(chart, board, `needs more than ${memoryMb} MiB of memory`, error);
}

/** Returns the error of a render that was ended from outside, whose line is not known. */
function overLimit(chart: string, board: SharedArrayBuffer, problem: string, cause?: Error): RenderError {
  const file = currentTemplate(board);
  const prefix = file === undefined ? '' : `${file}: `;
  const details = { position: file === undefined ? undefined : { file }, ...(cause && { cause }) };
  return new RenderError('render_limit', `${prefix}rendering chart ${chart} ${problem}`, details);
}
