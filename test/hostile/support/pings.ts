import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Address to ping. */
export interface PingSetup {
  /** A `ws://` URL gets ping frames, a `http://` URL gets requests. */
  url: string;
  /** Id of the process behind the URL. */
  pid: number;
  headers?: Record<string, string>;
}

/** Messages of the thread that pings. */
export type PingMessage = { type: 'started' } | { type: 'stopped'; stallMs: number };

/** Pings every 20 ms that are under way. */
export interface Pings {
  /**
   * Waits for the last response and returns the longest time without one, in milliseconds;
   * `Infinity` if the connection was lost.
   */
  stop(): Promise<number>;
}

/** Starts to ping a process. */
export async function startPings(setup: PingSetup): Promise<Pings> {
  const worker = new Worker(new URL('./ping-thread.ts', import.meta.url), { workerData: setup });
  const stopped = new Promise<number>((resolve, reject) => {
    worker.on('message', (message: PingMessage) => message.type === 'stopped' && resolve(message.stallMs));
    worker.on('error', reject);
  });
  await Promise.race([once(worker, 'message'), stopped]);
  return {
    async stop() {
      worker.postMessage('stop');
      return stopped;
    },
  };
}
