import type { Host } from '../../go/host.ts';
import { epochMilliseconds } from '../clock.ts';

/** The end of a time limit, by the clock of the host. */
export interface Deadline {
  /** Milliseconds since the Unix epoch. */
  at: number;
  /** The whole time limit, in milliseconds. */
  timeout: number;
}

/** The default of the helm CLI, in milliseconds. */
export const defaultTimeout = 5 * 60_000;

/** Returns the end of a time limit of which some milliseconds have passed. */
export function deadlineAfter(host: Host, timeout = defaultTimeout, passed = 0): Deadline {
  return { at: epochMilliseconds(host) + timeout - passed, timeout };
}

/** Returns the milliseconds that are left, which is negative after the deadline. */
export function timeLeft(host: Host, { at }: Deadline): number {
  return at - epochMilliseconds(host);
}
