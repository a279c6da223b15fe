import type { RateClock } from '../../src/protocol/streams/least-rate.ts';

/** A clock that stands still until a test moves it. */
export class FakeClock implements RateClock {
  #now = 0;
  readonly #timers = new Set<{ at: number; call: () => void }>();

  /** Number of timers that run. */
  get timers(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, call: () => void): () => void {
    const timer = { at: this.#now + milliseconds, call };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Moves the clock, and calls the timers that are due. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
    for (const timer of [...this.#timers]) {
      if (timer.at > this.#now) continue;
      this.#timers.delete(timer);
      timer.call();
    }
  }
}
