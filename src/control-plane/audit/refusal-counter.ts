import { LRUCache } from 'lru-cache';
import { Allowance } from '../../protocol/allowance.ts';

/** Number of senders that have an allowance of their own. */
const maxSenders = 1000;

const perSender = { count: 20, perSecond: 0.1 };
const together = { count: 200, perSecond: 1 };

/** Bounds how many refused requests get an entry of their own, and counts the others. */
export class RefusalCounter {
  readonly #now: () => number;
  readonly #senders = new LRUCache<string, Allowance>({ max: maxSenders });
  readonly #all: Allowance;
  #left = 0;

  /** `now` returns a time in milliseconds that never goes back. */
  constructor(now: () => number) {
    this.#now = now;
    this.#all = new Allowance({ ...together, now });
  }

  /** Whether a refused request of a sender gets an entry. Counts it if not. */
  take(sender: string): boolean {
    const own = this.#senders.get(sender) ?? new Allowance({ ...perSender, now: this.#now });
    this.#senders.set(sender, own);
    if (own.take() && this.#all.take()) return true;
    this.#left++;
    return false;
  }

  /** Returns how many requests got no entry since the last call. */
  takeCount(): number {
    const left = this.#left;
    this.#left = 0;
    return left;
  }
}
