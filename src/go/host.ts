/**
 * Environment of a render or an operation: clock, randomness and time zone. It is passed in, so
 * that the same host gives the same results.
 */
export interface Host {
  /** Current time, in nanoseconds since the Unix epoch. */
  now(): bigint;
  /** Returns random bytes suitable for cryptographic keys. */
  randomBytes(size: number): Uint8Array;
  /** IANA name of the local time zone, such as `Europe/Berlin` or `UTC`. */
  readonly timeZone: string;
  /**
   * Order in which `keys` and `values` iterate over a map, which is random in Go. Default:
   * ascending.
   */
  readonly keyOrder?: 'ascending' | 'descending';
}

/** Returns the current time, to the millisecond. */
export function currentDate(host: Pick<Host, 'now'>): Date {
  return new Date(Number(host.now() / 1_000_000n));
}

/**
 * Returns a function that calls `create` the first time and returns the same value each time, like
 * `sync.OnceValue`.
 */
export function onceValue<T extends object>(create: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= create());
}
