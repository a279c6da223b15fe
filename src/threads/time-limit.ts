import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

/** Time after which the processor time of a thread is read first, in milliseconds. */
const firstReadMs = 1000;

/** Time for a thread to report its processor time, in milliseconds. V8's own code may block it. */
const reportMs = 1000;

/** A thread that seldom gets a processor may take this many times the limit. */
const maxStretch = 5;

/**
 * Calls back when the task that a thread begins now has used `milliseconds` of a processor, or has
 * run for five times as long. A busy machine, or a pod with a small limit of its processor, is
 * therefore no reason to end it. Returns a function that stops the watch.
 */
export function watchTime(worker: Worker, milliseconds: number, onExceeded: () => void): () => void {
  const started = performance.now();
  const elapsed = () => performance.now() - started;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  /** Waits until an elapsed time, and calls back unless the watch was stopped meanwhile. */
  const at = (time: number, next: () => Promise<void>) => {
    if (!isStopped) timer = setTimeout(() => void next(), Math.max(0, time - elapsed()));
  };
  const begin = async () => {
    const used = elapsed(); // at most: only what comes later is measured
    const first = await processorMs(worker);
    const check = async () => {
      const now = first === undefined ? undefined : await processorMs(worker);
      if (isStopped) return;
      const left = now === undefined || first === undefined ? 0 : milliseconds - used - (now - first);
      const last = milliseconds * maxStretch - elapsed();
      if (Math.min(left, last) <= 0) onExceeded();
      else at(elapsed() + Math.min(left, last), check);
    };
    at(milliseconds, check);
  };
  at(Math.min(firstReadMs, milliseconds / 4), begin);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** Returns the processor time that a thread has used. Undefined: it was not reported in time. */
async function processorMs(worker: Worker): Promise<number | undefined> {
  if (!('cpuUsage' in worker)) return undefined; // Node.js before 24.6
  const report = worker.cpuUsage().then(({ user, system }) => (user + system) / 1000);
  // a thread that has ended meanwhile rejects
  return Promise.race([report.catch(() => undefined), sleep(reportMs, undefined, { ref: false })]);
}
