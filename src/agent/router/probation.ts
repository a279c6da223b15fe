import { setTimeout as sleep } from 'node:timers/promises';
import { whenAborted } from '../../async/index.ts';

/** The turn of a command. */
export interface Turn {
  /** Lets the next command start. */
  end(): void;
}

/**
 * Lets one suspect command start at a time: the next one starts when the one before has ended, or
 * has run for some time. If the process ends before, the journal knows which command has ended it.
 */
export class Probation {
  readonly #time: number;
  #last: Promise<unknown> = Promise.resolve();

  /** `time` is in milliseconds. */
  constructor(time: number) {
    this.#time = time;
  }

  /** Resolves when a command may start: when it is its turn, or at once if the signal aborts. */
  async turn(signal: AbortSignal): Promise<Turn> {
    const before = this.#last;
    const over = new AbortController();
    const passed = Promise.withResolvers<undefined>();
    this.#last = Promise.all([before, passed.promise]);
    await Promise.race([before, whenAborted(signal, over.signal)]);
    const end = () => {
      over.abort();
      passed.resolve(undefined);
    };
    void sleep(this.#time, undefined, { signal: over.signal, ref: false }).then(end, end);
    return { end };
  }
}
