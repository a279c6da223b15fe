import { abortable } from '../../async/index.ts';

/** Work that several callers wait for, and that ends when all of them have given up. */
export class SharedWork<Result> {
  readonly #controller = new AbortController();
  readonly #result: Promise<Result>;
  #callers = 0;

  constructor(start: (signal: AbortSignal) => Promise<Result>) {
    this.#result = start(this.#controller.signal);
    this.#result.catch(() => undefined); // the callers get it
  }

  /** Whether all callers have given up. */
  get isGivenUp(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Resolves with the result. Rejects with the signal's reason if that aborts before. */
  async wait(signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    this.#callers++;
    try {
      return await abortable(this.#result, signal);
    } finally {
      if (--this.#callers === 0) this.#controller.abort(new Error('no command waits for it any more'));
    }
  }
}
