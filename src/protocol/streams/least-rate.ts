/** Bytes that a peer has to send or to take in the time for which it can be waited for. */
const leastBytes = 64 * 1024;

/** Time in milliseconds that a peer can let this end wait for these bytes. */
export const maxWaitMs = 30_000;

export interface RateClock {
  /** Returns milliseconds since any moment. */
  now(): number;
  /** Calls back after milliseconds. Returns a function that prevents it. */
  after(milliseconds: number, call: () => void): () => void;
}

const processClock: RateClock = {
  now: () => performance.now(),
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds);
    return () => clearTimeout(timer);
  },
};

export interface LeastRateOptions {
  /** Returns the error with which the bytes end if the peer is too slow. */
  tooSlow: () => Error;
  /** Default: `maxWaitMs`. */
  waitMs?: number | undefined;
  /** Default: that of the process. */
  clock?: RateClock | undefined;
}

/** Limits the time that is spent waiting for a peer to send or to take each 64 KiB. */
class LeastRate {
  readonly #waitMs: number;
  readonly #clock: RateClock;
  #left: number;
  #bytes = 0;

  constructor({ waitMs = maxWaitMs, clock = processClock }: LeastRateOptions) {
    this.#waitMs = waitMs;
    this.#clock = clock;
    this.#left = waitMs;
  }

  /** Calls `onSlow` when the time is over, unless the returned function is called before. */
  wait(onSlow: () => void): () => void {
    const start = this.#clock.now();
    const stop = this.#clock.after(this.#left, onSlow);
    return () => {
      stop();
      this.#left -= this.#clock.now() - start;
    };
  }

  /** Counts bytes that the peer has sent or taken. */
  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < leastBytes) return;
    this.#bytes = 0;
    this.#left = this.#waitMs;
  }
}

/**
 * Yields what a peer sends. Ends with an error if it sends too little: less than 64 KiB, and not
 * the end, in the time for which it is waited for. Time in which no one reads does not count.
 */
export async function* receivedInTime<Chunk extends Uint8Array>(
  source: AsyncIterable<Chunk>,
  options: LeastRateOptions,
): AsyncGenerator<Chunk> {
  const rate = new LeastRate(options);
  const chunks = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { promise, resolve, reject } = Promise.withResolvers<Chunk | undefined>();
      const done = rate.wait(() => reject(options.tooSlow()));
      chunks.next().then((next) => resolve(next.done === true ? undefined : next.value), reject);
      const chunk = await promise.finally(done);
      if (chunk === undefined) return;
      rate.count(chunk.length);
      yield chunk;
    }
  } finally {
    // one that waits for the peer does not end before the peer sends something
    chunks.return?.().catch(() => undefined);
  }
}

/** Yields what is sent to a peer. Calls `onSlow` if the peer takes too little; see above. */
export async function* takenInTime<Chunk extends Uint8Array>(
  source: AsyncIterable<Chunk>,
  onSlow: (error: Error) => void,
  options: LeastRateOptions,
): AsyncGenerator<Chunk> {
  const rate = new LeastRate(options);
  for await (const chunk of source) {
    const done = rate.wait(() => onSlow(options.tooSlow()));
    try {
      yield chunk;
    } finally {
      done();
    }
    rate.count(chunk.length);
  }
}
