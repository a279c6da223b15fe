import { abortReason } from './abort.ts';

/** Lets a limited number of functions run at a time; others wait until it is their turn. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Runs a function in its turn. Rejects with the signal's reason if that aborts before. */
  async run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    await this.acquire(signal);
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  /** Waits for a turn, which `release` ends. Rejects with the signal's reason. */
  async acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const start = () => {
      this.#waiting.delete(start);
      resolve(undefined);
    };
    const abort = () => {
      this.#waiting.delete(start);
      reject(abortReason(signal));
    };
    this.#waiting.add(start);
    signal.addEventListener('abort', abort, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', abort));
  }

  release(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#free++;
  }
}
