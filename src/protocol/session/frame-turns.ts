/** Time in which frames are handled before timers and new connections get a turn. */
const turnMs = 20;

/**
 * Divides the time of the event loop among connections, so that no flood of frames holds up timers
 * or other connections. One belongs to all connections of a server.
 */
export class FrameTurns {
  /** Each handles one frame, and returns whether it has another one. */
  readonly #waiting: (() => boolean)[] = [];
  /** End of the present turn; undefined if no frame has arrived in it. */
  #end: number | undefined;

  /** Whether a frame that arrives now has to wait for another turn of the event loop. */
  get isOver(): boolean {
    if (this.#waiting.length > 0) return true;
    const now = performance.now();
    if (this.#end === undefined) {
      this.#end = now + turnMs;
      setImmediate(() => (this.#end = undefined));
    }
    return now >= this.#end;
  }

  /** Calls a function in the next turns until it returns false, in turns with those of others. */
  wait(handleNext: () => boolean): void {
    this.#waiting.push(handleNext);
    if (this.#waiting.length === 1) setImmediate(this.#handle);
  }

  readonly #handle = (): void => {
    const end = performance.now() + turnMs;
    while (performance.now() < end) {
      const next = this.#waiting.shift();
      if (!next) return;
      if (next()) this.#waiting.push(next);
    }
    if (this.#waiting.length > 0) setImmediate(this.#handle);
  };
}
