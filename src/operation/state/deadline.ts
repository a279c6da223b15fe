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

export function deadlineAfter(host: Host, timeout = defaultTimeout): Deadline {
  return { at: epochMilliseconds(host) + timeout, timeout };
}

/** Returns the milliseconds that are left, which is negative after the deadline. */
export function timeLeft(host: Host, { at }: Deadline): number {
  return at - epochMilliseconds(host);
}
