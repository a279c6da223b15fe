/** The URLs of control planes, in the order in which they are tried. */
export class UrlOrder {
  readonly #urls: readonly string[];
  /** Times before which the URLs are not tried, because their control planes asked for it. */
  readonly #notBefore: number[];
  #index = 0;
  #isNewRound = true;

  constructor(urls: readonly string[]) {
    this.#urls = urls;
    this.#notBefore = urls.map(() => 0);
  }

  get current(): string {
    return this.#urls[this.#index] ?? '';
  }

  /** Whether the next attempt is the first one of a round. */
  get isNewRound(): boolean {
    return this.#isNewRound;
  }

  /** Notes that an attempt begins. */
  begin(): void {
    this.#isNewRound = false;
  }

  /** Begins another round, with the first URL. */
  restart(): void {
    this.#index = 0;
    this.#isNewRound = true;
  }

  /** Selects the next URL. After the last one, another round begins. */
  advance(): void {
    if (this.#index + 1 < this.#urls.length) this.#index++;
    else this.restart();
  }

  /** Leaves the current URL out until a time, and begins another round. */
  leaveOut(until: number): void {
    this.#notBefore[this.#index] = until;
    this.restart();
  }

  /**
   * Selects the next URL that is not left out. If the rest of the round is, begins another round
   * with the URL that can be tried first. Returns the time to wait for it, in milliseconds.
   */
  skip(now: number): number {
    const waits = this.#notBefore.map((time) => Math.max(0, time - now));
    const next = waits.findIndex((wait, index) => index >= this.#index && wait === 0);
    if (next !== -1) {
      this.#index = next;
      return 0;
    }
    const shortest = Math.min(...waits);
    this.restart();
    this.#index = waits.indexOf(shortest);
    return shortest;
  }
}
