/**
 * What a render or an operation takes from outside. It is handed in, so that with the same host the same thing happens again.
 */
export interface Host {
  /** The time, in nanoseconds since the Unix epoch. */
  now(): bigint;
  /** Random bytes, fit for keys. */
  randomBytes(size: number): Uint8Array;
  /** The local time zone as an IANA name, such as `Europe/Berlin` or `UTC`. */
  readonly timeZone: string;
  /** How `keys` and `values` go through a map, which Go leaves to chance. Default ascending. */
  readonly keyOrder?: 'ascending' | 'descending';
}
