import { Worker } from 'node:worker_threads';
import type { RenderLimits } from './limits.ts';
import { RenderError } from './render-error.ts';
import type { WorkerReply, WorkerRequest } from './render-worker-messages.ts';

/** Helm's include depth of 1,000 needs far more stack than a thread has by default. */
const stackSizeMb = 256;

export interface WorkerPoolOptions {
  /** The module that serves renders: see render-worker.ts. */
  workerUrl: URL;
  limits: RenderLimits;
  /** How many renders run at a time. */
  size: number;
}

/** Threads that render, each one chart at a time. A thread that takes too long or too much memory is ended, and replaced when it is needed. */
export interface WorkerPool {
  ask(request: WorkerRequest, signal: AbortSignal): Promise<WorkerReply>;
  /** Ends all threads. Renders that run fail. */
  close(): Promise<void>;
}

export function createWorkerPool({ workerUrl, limits, size }: WorkerPoolOptions): WorkerPool {
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  const waiting: (() => void)[] = [];
  let busy = 0;

  async function ask(request: WorkerRequest, signal: AbortSignal): Promise<WorkerReply> {
    signal.throwIfAborted();
    if (busy >= size) await new Promise<void>((resolve) => waiting.push(resolve));
    busy++;
    try {
      signal.throwIfAborted();
      const worker = idle.pop() ?? start();
      worker.ref();
      const answer = await answerOf(worker, request, signal);
      worker.unref();
      idle.push(worker);
      return answer;
    } finally {
      busy--;
      waiting.shift()?.();
    }
  }

  function start(): Worker {
    const worker = new Worker(workerUrl, {
      env: {},
      resourceLimits: { stackSizeMb, maxOldGenerationSizeMb: limits.memoryMb },
    });
    all.add(worker);
    worker.once('exit', () => all.delete(worker));
    return worker;
  }

  /** Rejects with the worker ended. */
  async function answerOf(worker: Worker, request: WorkerRequest, signal: AbortSignal): Promise<WorkerReply> {
    const done = new AbortController();
    const { promise, resolve, reject } = Promise.withResolvers<WorkerReply>();
    const timer = setTimeout(() => reject(tooLong(request, limits)), limits.milliseconds);
    const failed = (error: Error) => reject(failureOf(error, request, limits));
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
      clearTimeout(timer);
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

function tooLong(request: WorkerRequest, { milliseconds }: RenderLimits): RenderError {
  return new RenderError(
    'render_limit',
    `rendering chart ${request.chart.metadata.name} takes more than ${milliseconds / 1000} seconds; look for a template that never ends`,
  );
}

function failureOf(error: Error, request: WorkerRequest, { memoryMb }: RenderLimits): Error {
  if (!('code' in error) || error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
  const message = `rendering chart ${request.chart.metadata.name} needs more than ${memoryMb} MiB of memory`;
  return new RenderError('render_limit', message, { cause: error });
}
