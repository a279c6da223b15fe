import { CommandError } from './errors.ts';

/**
 * Treatment of a command if another one on its release runs or waits. `supersede` waits, too: the
 * commands that it replaces were cancelled.
 */
export type IfBusy = 'queue' | 'supersede' | 'reject';

export interface QueueOptions {
  /** Ends the wait for a turn. */
  signal: AbortSignal;
  ifBusy: IfBusy;
  /**
   * Called when the operation has to wait, and at each change, with the number of operations on the
   * release that come first. It is 0 if only the number of all operations holds it up.
   */
  onPosition: (position: number) => void;
}

/** The place of an operation among those that work at a time. */
export interface Slot {
  /** Lets others work while the operation only waits for the cluster. */
  whileWaiting<Result>(wait: () => Promise<Result>): Promise<Result>;
}

interface Waiting {
  release: string;
  position: number | undefined;
  onPosition: (position: number) => void;
  start(): void;
}

/**
 * Runs operations on the same release one after the other, in the order in which they arrived, and
 * those on different releases at the same time.
 */
export class ReleaseQueues {
  readonly #concurrency: number;
  readonly #active = new Set<string>();
  readonly #waiting: Waiting[] = [];
  /** Operations that have waited for the cluster and continue. They come before new ones. */
  readonly #returning: (() => void)[] = [];
  #working = 0;

  /** `concurrency` is the number of operations that work at a time. */
  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /**
   * Runs an operation when it is its turn. Rejects with the signal's reason if it aborts before,
   * and with `pending_operation` if the operation does not wait for others on its release.
   */
  async run<Result>(
    release: string,
    { signal, ifBusy, onPosition }: QueueOptions,
    operation: (slot: Slot) => Promise<Result>,
  ): Promise<Result> {
    signal.throwIfAborted();
    if (ifBusy === 'reject' && this.#isBusy(release)) {
      const message = `another command on the release ${release} runs or waits; send this one later, or let it wait with ifBusy: "queue"`;
      throw new CommandError('pending_operation', message);
    }
    await this.#turn(release, signal, onPosition);
    try {
      return await operation({ whileWaiting: (wait) => this.#whileWaiting(wait, signal) });
    } finally {
      this.#active.delete(release);
      this.#working--;
      this.#startNext();
    }
  }

  #isBusy(release: string): boolean {
    return this.#active.has(release) || this.#waiting.some((other) => other.release === release);
  }

  async #whileWaiting<Result>(wait: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    this.#working--;
    this.#startNext();
    try {
      return await wait();
    } finally {
      await this.#slot(signal);
    }
  }

  /** Resolves when the operation may work again; at once if it ends or is undone. */
  async #slot(signal: AbortSignal): Promise<void> {
    if (this.#working < this.#concurrency || signal.aborted) {
      this.#working++;
      return;
    }
    await new Promise<void>((resolve) => {
      const proceed = () => {
        signal.removeEventListener('abort', leave);
        this.#working++;
        resolve();
      };
      const leave = () => {
        this.#returning.splice(this.#returning.indexOf(proceed), 1);
        this.#working++;
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#returning.push(proceed);
    });
  }

  #turn(release: string, signal: AbortSignal, onPosition: (position: number) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        reject(signal.reason as Error); // the router aborts its signals with an Error
        this.#reportPositions();
      };
      const entry: Waiting = {
        release,
        position: undefined,
        onPosition,
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
    while (this.#working < this.#concurrency) {
      const proceed = this.#returning.shift();
      if (proceed === undefined) break;
      proceed();
    }
    while (this.#working < this.#concurrency) {
      const index = this.#waiting.findIndex(({ release }) => !this.#active.has(release));
      const [next] = index < 0 ? [] : this.#waiting.splice(index, 1);
      if (!next) break;
      this.#working++;
      this.#active.add(next.release);
      next.start();
    }
    this.#reportPositions();
  }

  #reportPositions(): void {
    const ahead = new Map([...this.#active].map((release) => [release, 1]));
    for (const entry of this.#waiting) {
      const position = ahead.get(entry.release) ?? 0;
      ahead.set(entry.release, position + 1);
      if (entry.position === position) continue;
      entry.position = position;
      entry.onPosition(position);
    }
  }
}
