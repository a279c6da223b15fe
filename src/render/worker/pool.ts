import { Worker } from 'node:worker_threads';
import type { RenderLimits } from '../limits.ts';
import { askToStop, createBoard, resetBoard, templateOn } from './progress-board.ts';
import { RenderError } from '../render-error.ts';
import type { WorkerReply, WorkerRequest, WorkerSetup } from './messages.ts';

/** Helm's include depth of 1,000 needs far more stack than a thread has by default. */
const stackSizeMb = 256;

/** How long a render that has taken too long has to come to a step, at which it fails with the line that it is at. */
const graceMs = 1000;

/**
 * The heap that V8 gives a thread. A render is ended at the limit of its own that it sees at steps; between two steps it may need more than that. Where V8 runs
 * out of memory for something large it ends the process, not the thread.
 */
const heapMb = ({ memoryMb }: RenderLimits) => memoryMb + 1024;

export interface WorkerPoolOptions {
  /** The module that serves renders: see render-worker.ts. */
  workerUrl: URL;
  limits: RenderLimits;
  /** How many renders run at a time. */
  size: number;
}

/** A thread, and the memory that it shares with this one. */
interface RenderThread {
  worker: Worker;
  board: SharedArrayBuffer;
}

/** Threads that render, each one chart at a time. A thread that takes too long or too much memory is ended, and replaced when it is needed. */
export interface WorkerPool {
  ask(request: WorkerRequest, signal: AbortSignal): Promise<WorkerReply>;
  /** Ends all threads. Renders that run fail. */
  close(): Promise<void>;
}

export function createWorkerPool({ workerUrl, limits, size }: WorkerPoolOptions): WorkerPool {
  const idle: RenderThread[] = [];
  const all = new Set<Worker>();
  const waiting: (() => void)[] = [];
  let busy = 0;

  async function ask(request: WorkerRequest, signal: AbortSignal): Promise<WorkerReply> {
    signal.throwIfAborted();
    if (busy >= size) await new Promise<void>((resolve) => waiting.push(resolve));
    busy++;
    try {
      signal.throwIfAborted();
      const thread = idle.pop() ?? start();
      thread.worker.ref();
      const answer = await answerOf(thread, request, signal);
      thread.worker.unref();
      idle.push(thread);
      return answer;
    } finally {
      busy--;
      waiting.shift()?.();
    }
  }

  function start(): RenderThread {
    const board = createBoard();
    const worker = new Worker(workerUrl, {
      env: {},
      workerData: { limits, board } satisfies WorkerSetup,
      resourceLimits: { stackSizeMb, maxOldGenerationSizeMb: heapMb(limits) },
    });
    all.add(worker);
    worker.once('exit', () => all.delete(worker));
    return { worker, board };
  }

  /** Rejects with the worker ended. */
  async function answerOf(thread: RenderThread, request: WorkerRequest, signal: AbortSignal): Promise<WorkerReply> {
    const { worker, board } = thread;
    const done = new AbortController();
    const { promise, resolve, reject } = Promise.withResolvers<WorkerReply>();
    const { name } = request.chart.metadata;
    resetBoard(board);
    const asking = setTimeout(() => askToStop(board), limits.milliseconds);
    const ending = setTimeout(() => reject(tooLong(name, board, limits)), limits.milliseconds + graceMs);
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
      clearTimeout(asking);
      clearTimeout(ending);
      done.abort();
      worker.off('message', resolve).off('error', failed).off('exit', ended);
    }
  }

  return {
    ask,
    async close() {
      await Promise.all(Array.from(all, (worker) => worker.terminate()));
    },
  };
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

/** The error of a render that was ended from outside: there is no line to be known. */
function overLimit(chart: string, board: SharedArrayBuffer, problem: string, cause?: Error): RenderError {
  const file = templateOn(board);
  const where = file === undefined ? '' : `${file}: `;
  const details = { position: file === undefined ? undefined : { file }, ...(cause && { cause }) };
  return new RenderError('render_limit', `${where}rendering chart ${chart} ${problem}`, details);
}
