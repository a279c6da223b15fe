export interface BackoffTimes {
  /** The longest wait before the second try; it doubles with each try after that. */
  baseMs: number;
  capMs: number;
  /** A connection that lasted so long makes the next try the first again. */
  stableMs: number;
}

export const defaultBackoff: BackoffTimes = { baseMs: 1000, capMs: 30_000, stableMs: 10_000 };

/**
 * Full jitter: the milliseconds to wait before a try, counted from 0, evenly spread between nothing and a bound that doubles. The first is at once.
 * `random` yields numbers from 0 up to 1.
 */
export function backoffDelay(attempt: number, times: BackoffTimes, random: () => number): number {
  if (attempt === 0) return 0;
  return random() * Math.min(times.capMs, times.baseMs * 2 ** (attempt - 1));
}
