import { messageOf } from '../errors/index.ts';
import type { Logger } from './logger.ts';

export interface SweepsOptions {
  /** Name of that which is forgotten, for the log. */
  what: string;
  log: Logger;
  /** Forgets what is too old, at most `max` of it. Returns whether there may be more. */
  forget: (max: number) => boolean | Promise<boolean>;
  /** Resolves when this is stored. Default: it is when `forget` has ended. */
  stored?: () => Promise<void>;
}

/** Time between two looks for what is too old, in milliseconds. */
const sweepMs = 60_000;

/** How much is forgotten at once. */
const partLength = 100;

/** Forgets each minute what is too old, a part at a time, so that agents and users do not wait. */
export class Sweeps {
  readonly #options: SweepsOptions;
  #timer: NodeJS.Timeout | undefined;
  #sweeping = Promise.resolve();
  #isOpen = false;
  #hasFailed = false;

  constructor(options: SweepsOptions) {
    this.#options = options;
  }

  open(): void {
    this.#isOpen = true;
    this.#sweepLater();
  }

  /** Forgets nothing more. Resolves when the part that is being forgotten is gone. */
  async close(): Promise<void> {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    await this.#sweeping;
  }

  #sweepLater(): void {
    this.#timer = setTimeout(() => {
      this.#sweeping = this.#sweep();
    }, sweepMs).unref();
  }

  async #sweep(): Promise<void> {
    const { what, log, forget, stored } = this.#options;
    try {
      for (let hasMore = true; hasMore && this.#isOpen;) {
        const part = forget(partLength);
        hasMore = typeof part === 'boolean' ? part : await part;
        if (hasMore) await stored?.();
      }
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed && this.#isOpen) {
        log.warn({ reason: messageOf(error) }, `cannot delete ${what}; trying again`);
      }
      this.#hasFailed = true;
    }
    if (this.#isOpen) this.#sweepLater();
  }
}
