import type { Host } from '../../go/host.ts';

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
  return { at: milliseconds(host) + timeout, timeout };
}

/** Returns the milliseconds that are left, which is negative after the deadline. */
export function timeLeft(host: Host, { at }: Deadline): number {
  return at - milliseconds(host);
}

function milliseconds(host: Host): number {
  return Number(host.now() / 1_000_000n);
}
