export interface AllowanceOptions {
  /** Number of uses that are allowed at once. */
  count: number;
  /** Number of uses that come back in a second. */
  perSecond: number;
  /** Returns a time in milliseconds that never goes back. Default: that of the process. */
  now?: () => number;
}

/** A number of uses that comes back with time. */
export class Allowance {
  readonly #options: AllowanceOptions;
  readonly #now: () => number;
  #left: number;
  #time: number;

  constructor(options: AllowanceOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#left = options.count;
    this.#time = this.#now();
  }

  /** Takes one use. Returns false if none is left. */
  take(): boolean {
    const { count, perSecond } = this.#options;
    const now = this.#now();
    this.#left = Math.min(count, this.#left + ((now - this.#time) / 1000) * perSecond);
    this.#time = now;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
