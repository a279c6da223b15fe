import { maxTimerMs } from '../../../async/index.ts';

/** The time limit for downloading an index, in nanoseconds, as its flag has it. */
export const downloadTimeout = {
  initial: 120_000_000_000n,
  usage: 'time limit for downloading an index',
} as const;

/** As in Go, a time limit of 0 is none. */
export function milliseconds(nanoseconds: bigint): number {
  return nanoseconds <= 0n ? maxTimerMs : Math.min(Number(nanoseconds / 1_000_000n), maxTimerMs);
}
