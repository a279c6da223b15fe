import type { Host } from '../../go/host.ts';
import { longestTimeout } from '../../protocol/duration.ts';
import { epochMilliseconds } from '../clock.ts';

/** The end of a time limit, by the clock of the host. */
export interface Deadline {
  /** Milliseconds since the Unix epoch. */
  at: number;
  /** The whole time limit, in milliseconds. */
  timeout: number;
  /** Whether the time limit is one of each wait, which may start any time until the deadline. */
  isOfWaits?: boolean;
}

/** The time limit of a request. */
export interface Timed {
  /** In milliseconds. Default: {@link defaultTimeout}. */
  timeout?: number;
  /** Whether it limits the whole operation or each wait. Default: `operation`. */
  timeoutScope?: 'operation' | 'wait';
}

/** The default of the helm CLI, in milliseconds. */
export const defaultTimeout = 5 * 60_000;

/**
 * Returns the end of a time limit of which some milliseconds have passed. An operation of which
 * only the waits have a limit has the longest one.
 */
export function deadlineAfter(host: Host, { timeout = defaultTimeout, timeoutScope }: Timed, passed = 0): Deadline {
  const start = epochMilliseconds(host) - passed;
  if (timeoutScope === 'wait') return { at: start + longestTimeout, timeout, isOfWaits: true };
  return { at: start + timeout, timeout };
}

/** Returns the milliseconds that are left, which is negative after the deadline. */
export function timeLeft(host: Host, { at }: Deadline): number {
  return at - epochMilliseconds(host);
}
