import type { ElectionTimes } from './election-times.ts';
import { LeaseLostError } from './lease-lost-error.ts';

/**
 * The time for which a process leads. It ends for good when the Lease was not renewed for
 * `renewDeadline`, which is before another process may take it.
 */
export interface Term {
  /** Aborts at the end, with a {@link LeaseLostError}, or when the Lease is released. */
  readonly signal: AbortSignal;
  /**
   * Returns the milliseconds until another process may lead, if the Lease is not renewed again: a
   * request that changes something must have ended by then. Ends the term if its time is over, and
   * throws `LeaseLostError` if it has ended.
   */
  timeLeft(): number;
  /** Ends the term and releases the Lease. Call it when nothing is written any more. */
  release(): Promise<void>;
}

/** The part of a term that depends on the clock. */
export class TermClock {
  readonly #ended = new AbortController();
  readonly #times: ElectionTimes;
  readonly #now: () => number;
  #renewedAt: number;

  /** `now` is a monotonic clock, and `renewedAt` when the request was sent that took the Lease. */
  constructor(times: ElectionTimes, now: () => number, renewedAt: number) {
    this.#times = times;
    this.#now = now;
    this.#renewedAt = renewedAt;
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Notes when a request was sent that has renewed the Lease. */
  renewed(at: number): void {
    this.#renewedAt = at;
  }

  /** Returns the milliseconds until the term ends if the Lease is not renewed again. */
  untilDeadline(): number {
    return this.#renewedAt + this.#times.renewDeadline - this.#now();
  }

  end(reason: string): void {
    this.#ended.abort(new LeaseLostError(reason));
  }

  /** See {@link Term.timeLeft}. */
  timeLeft(): number {
    if (this.untilDeadline() <= 0) this.end('the Lease could not be renewed in time');
    this.#ended.signal.throwIfAborted();
    return this.#renewedAt + this.#times.leaseDuration - this.#now();
  }
}
