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
