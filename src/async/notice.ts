/** Lets functions wait until something has changed. */
export class Notice {
  readonly #waiting = new Set<() => void>();

  /** Ends all waits. */
  give(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves with the next notice, or when the signal aborts. */
  async next(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const wake = () => resolve(undefined);
    this.#waiting.add(wake);
    signal?.addEventListener('abort', wake, { once: true });
    await promise;
    this.#waiting.delete(wake);
    signal?.removeEventListener('abort', wake);
  }
}

/** Lets one function wait for changes. Changes while it is busy count as one. */
export class ChangeNotice {
  readonly #notice = new Notice();
  #hasChanged = false;

  /** Wakes the function. Can be passed as a callback. */
  readonly give = (): void => {
    this.#hasChanged = true;
    this.#notice.give();
  };

  /** Resolves at the next notice, at once if there was one since the last call. */
  async next(): Promise<void> {
    if (!this.#hasChanged) await this.#notice.next();
    this.#hasChanged = false;
  }
}
