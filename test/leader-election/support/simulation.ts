import type { ElectionClock } from '../../../src/leader-election/elector.ts';
import type { Cluster } from '../../../src/objects/cluster.ts';

interface Sleeper {
  at: number;
  wake: (isOver: boolean) => void;
}

/** Time that passes only when everybody sleeps and no request is under way. */
export class Simulation {
  readonly #sleepers = new Set<Sleeper>();
  #now = 0;
  #requests = 0;

  get now(): number {
    return this.#now;
  }

  /** Returns a clock. `offset` is the difference of its wall clock, and `rate` its speed. */
  clock({ offset = 0, rate = 1 }: { offset?: number; rate?: number } = {}): ElectionClock {
    return {
      monotonic: () => this.#now * rate + offset,
      now: () => new Date(Date.UTC(2030, 0) + this.#now + offset),
      random: () => 0.5,
      sleep: (milliseconds, signal) => this.#sleep(milliseconds / rate, signal),
    };
  }

  /** Returns the cluster. Time stands still during its requests. */
  watched(cluster: Cluster): Cluster {
    const during = async <T>(request: () => Promise<T>): Promise<T> => {
      this.#requests++;
      try {
        return await request();
      } finally {
        this.#requests--;
      }
    };
    return {
      ...cluster,
      get: (...args) => during(() => cluster.get(...args)),
      create: (...args) => during(() => cluster.create(...args)),
      replace: (...args) => during(() => cluster.replace(...args)),
    };
  }

  /** Advances the time until the condition holds. Throws if it does not within a simulated time. */
  async until(condition: () => boolean, within = 120_000): Promise<void> {
    const end = this.#now + within;
    for (;;) {
      await this.#quiet();
      if (condition()) return;
      const next = [...this.#sleepers].sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) throw new Error(`it did not happen within ${within} ms`);
      this.#now = Math.max(this.#now, next.at);
      next.wake(true);
    }
  }

  /** Advances the time. */
  async pass(milliseconds: number): Promise<void> {
    let isOver = false;
    void this.#sleep(milliseconds, new AbortController().signal).then(() => (isOver = true));
    await this.until(() => isOver, milliseconds);
  }

  /** Advances the time at once, as for a process that was stopped: nothing runs meanwhile. */
  freeze(milliseconds: number): void {
    this.#now += milliseconds;
  }

  #sleep(milliseconds: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        at: this.#now + milliseconds,
        wake: (isOver) => {
          this.#sleepers.delete(sleeper);
          signal.removeEventListener('abort', stop);
          resolve(isOver);
        },
      };
      const stop = () => sleeper.wake(false);
      signal.addEventListener('abort', stop, { once: true });
      this.#sleepers.add(sleeper);
    });
  }

  /** Resolves when nothing happens without time. */
  async #quiet(): Promise<void> {
    for (let turns = 0; turns < 3; turns = this.#requests > 0 ? 0 : turns + 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
