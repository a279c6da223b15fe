interface Waiting {
  release: string;
  start(): void;
}

/**
 * Runs operations on the same release one after the other, and those on different releases at the
 * same time.
 */
export class ReleaseQueues {
  readonly #concurrency: number;
  readonly #active = new Set<string>();
  readonly #waiting: Waiting[] = [];

  /** `concurrency` is the number of operations that run at a time. */
  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /**
   * Runs an operation when it is its turn. Rejects with the signal's reason if it aborts before.
   */
  async run<Result>(release: string, signal: AbortSignal, operation: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    await this.#turn(release, signal);
    try {
      return await operation();
    } finally {
      this.#active.delete(release);
      this.#startNext();
    }
  }

  #turn(release: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        reject(signal.reason as Error); // the router aborts its signals with an Error
      };
      const entry: Waiting = {
        release,
        start() {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(entry);
      this.#startNext();
    });
  }

  #startNext(): void {
    while (this.#active.size < this.#concurrency) {
      const index = this.#waiting.findIndex(({ release }) => !this.#active.has(release));
      const [next] = index < 0 ? [] : this.#waiting.splice(index, 1);
      if (!next) return;
      this.#active.add(next.release);
      next.start();
    }
  }
}
