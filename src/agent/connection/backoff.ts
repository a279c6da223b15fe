export interface BackoffTimes {
  /** The longest wait before the second attempt. It doubles with each further attempt. */
  baseMs: number;
  /** The longest wait of all. */
  capMs: number;
  /** A connection that lasted this long makes the next attempt the first again. */
  stableMs: number;
}

export const defaultBackoff: BackoffTimes = { baseMs: 1000, capMs: 30_000, stableMs: 10_000 };

/**
 * Returns the milliseconds to wait before an attempt, counted from 0. The first attempt is
 * immediate; the others wait a random part of a bound that doubles (full jitter). `random` returns
 * numbers from 0 up to 1.
 */
export function backoffDelay(attempt: number, times: BackoffTimes, random: () => number): number {
  if (attempt === 0) return 0;
  return random() * Math.min(times.capMs, times.baseMs * 2 ** (attempt - 1));
}
