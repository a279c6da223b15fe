/** Corrections of an object, one shortly after the other. */
interface Corrections {
  count: number;
  /** When the last one began, in milliseconds since the Unix epoch. */
  last: number;
}

/** Time without a change of an object after which its corrections count from 1 again. */
const quietTime = 20 * 60_000;

const none: Corrections = { count: 0, last: -Infinity };

/** How often objects were put back lately, or were not because no write was sent. */
export class CorrectionCounts {
  /** By the identity of the object, those that were put back last at the end. */
  readonly #known = new Map<string, Corrections>();

  /** Returns the corrections of an object so far. `now` is in milliseconds since the Unix epoch. */
  of(identity: string, now: number): Corrections {
    const known = this.#known.get(identity) ?? none;
    return { ...known, count: now - known.last > quietTime ? 0 : known.count };
  }

  /** Adds a correction of an object, and forgets those that do not count any more. */
  add(identity: string, now: number): void {
    const { count } = this.of(identity, now);
    this.#known.delete(identity);
    this.#known.set(identity, { count: count + 1, last: now });
    for (const [other, { last }] of this.#known) {
      if (now - last <= quietTime) break;
      this.#known.delete(other);
    }
  }
}
