/** Time for whose agents the control plane has room at once, in milliseconds. */
const burstMs = 1000;

/** The longest time for which an agent is asked to wait, in milliseconds. */
const maxWaitMs = 60_000;

export interface ArrivalsOptions {
  /** Number of agents that connect in a second. */
  perSecond: number;
  /** Returns a time in milliseconds that never goes back. */
  monotonic: () => number;
}

/**
 * Limits how many agents connect in a second. Only those count that have proved who they are, so
 * that no one else can take their places.
 */
export class Arrivals {
  readonly #monotonic: () => number;
  readonly #intervalMs: number;
  /** When those that have arrived would all have, at the rate. */
  #dueAt = -Infinity;
  /** When the last one that was asked to wait is to come. */
  #nextAt = -Infinity;

  constructor({ perSecond, monotonic }: ArrivalsOptions) {
    this.#monotonic = monotonic;
    this.#intervalMs = 1000 / perSecond;
  }

  /** Notes an agent that has connected. */
  add(): void {
    this.#dueAt = Math.max(this.#dueAt, this.#monotonic()) + this.#intervalMs;
  }

  /** Returns the seconds after which an agent may connect; undefined if it may now. */
  wait(): number | undefined {
    const now = this.#monotonic();
    if (this.#dueAt - now < burstMs) return undefined;
    // each of those that are refused gets a time of its own
    this.#nextAt = Math.min(Math.max(this.#nextAt, now) + this.#intervalMs, now + maxWaitMs);
    return Math.ceil(Math.round(this.#nextAt - now) / 1000);
  }
}
