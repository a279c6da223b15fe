/** Time for whose agents the control plane has room at once, in milliseconds. */
const burstMs = 1000;

/** The longest time for which an agent is asked to wait, in milliseconds. */
const maxWaitMs = 60_000;

/**
 * Number of connected agents without a `hello` beyond which no more may connect. The work for the
 * last of them must end before it gives up, which is after 10 s, also on a busy machine.
 */
const maxGreeting = 200;

/** The part of the rate at which agents are asked to come when too many have not said `hello`. */
const busyShare = 0.25;

export interface ArrivalsOptions {
  /** Number of agents that connect in a second. */
  perSecond: number;
  /** Returns the number of agents that have connected and not said `hello`. */
  greeting: () => number;
  /** Returns a time in milliseconds that never goes back. */
  monotonic: () => number;
}

/**
 * Limits how many agents connect in a second, and how many do so at the same time: a control plane
 * that cannot keep up would otherwise work for agents that have given up. Only those count that
 * have proved who they are, so that no one else can take their places.
 */
export class Arrivals {
  readonly #greeting: () => number;
  readonly #monotonic: () => number;
  readonly #intervalMs: number;
  /** When those that have arrived would all have, at the rate. */
  #dueAt = -Infinity;
  /** When the last one that was asked to wait is to come. */
  #nextAt = -Infinity;

  constructor({ perSecond, greeting, monotonic }: ArrivalsOptions) {
    this.#greeting = greeting;
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
    const isBusy = this.#greeting() >= maxGreeting;
    if (this.#dueAt - now < burstMs && !isBusy) return undefined;
    // each of those that are refused gets a time of its own
    const intervalMs = isBusy ? this.#intervalMs / busyShare : this.#intervalMs;
    this.#nextAt = Math.min(Math.max(this.#nextAt, now) + intervalMs, now + maxWaitMs);
    return Math.ceil(Math.round(this.#nextAt - now) / 1000);
  }
}
