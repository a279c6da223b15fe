/** Time for whose agents the control plane has room at once, in milliseconds. */
const burstMs = 1000;

/** The longest time for which an agent is asked to wait, in milliseconds. */
const maxWaitMs = 60_000;

/**
 * The time that agents wait on average, as a multiple of the time for which they are asked: each
 * adds a random part of it (`Uplink`).
 */
const waitedShare = 1.5;

/**
 * Number of connected agents without a `hello` beyond which no more may connect. The work for the
 * last of them must end before it gives up, which is after 10 s, also on a busy machine.
 */
const maxGreeting = 200;

/**
 * Parts of the rate at which agents are taken to say `hello` when too many have not: before it is
 * known how many do in a second, and the least.
 */
const [firstShare, leastShare] = [0.25, 0.1];

/**
 * The number of agents that are asked to come in a second, as a multiple of those that say `hello`
 * in one. They do not come evenly, and an agent that comes too early costs less than a time in
 * which none comes.
 */
const askedShare = 1.75;

/** Time over which agents that say `hello` are counted, in milliseconds. */
const countMs = 500;

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
  readonly #options: ArrivalsOptions;
  readonly #intervalMs: number;
  /** When those that have arrived would all have, at the rate. */
  #dueAt = -Infinity;
  /** When the last one that was asked to wait is to come. */
  #nextAt = -Infinity;
  #connected = 0;
  /** Number of agents that said `hello` in a second when too many had not. */
  #perSecondWhenBusy: number;
  /** Since when, and from which number on, agents that say `hello` are counted. */
  #counted = { since: -Infinity, from: 0 };

  constructor(options: ArrivalsOptions) {
    this.#options = options;
    this.#intervalMs = 1000 / options.perSecond;
    this.#perSecondWhenBusy = options.perSecond * firstShare;
  }

  /** Notes an agent that has connected. */
  add(): void {
    this.#connected++;
    this.#dueAt = Math.max(this.#dueAt, this.#options.monotonic()) + this.#intervalMs;
  }

  /** Returns the seconds after which an agent may connect; undefined if it may now. */
  wait(): number | undefined {
    const { greeting, monotonic } = this.#options;
    const now = monotonic();
    const isBusy = greeting() >= maxGreeting;
    if (isBusy) this.#count(now);
    if (this.#dueAt - now < burstMs && !isBusy) return undefined;
    // each of those that are refused gets a time of its own
    const intervalMs = isBusy ? 1000 / (this.#perSecondWhenBusy * askedShare) : this.#intervalMs;
    this.#nextAt = Math.min(Math.max(this.#nextAt, now) + intervalMs, now + maxWaitMs * waitedShare);
    return Math.ceil(Math.round((this.#nextAt - now) / waitedShare) / 1000);
  }

  /** Counts the agents that have said `hello`, or are gone, while too many had not. */
  #count(now: number): void {
    const { greeting, perSecond } = this.#options;
    const greeted = this.#connected - greeting();
    const { since, from } = this.#counted;
    const passed = now - since;
    if (passed < countMs) return;
    this.#counted = { since: now, from: greeted };
    // there may have been a time with few agents between
    if (passed > 2 * countMs) return;
    const counted = ((greeted - from) * 1000) / passed;
    const average = (this.#perSecondWhenBusy + counted) / 2;
    this.#perSecondWhenBusy = Math.min(Math.max(average, perSecond * leastShare), perSecond);
  }
}
