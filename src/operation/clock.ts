import type { Host } from '../go/host.ts';

/** Returns the time in milliseconds since the Unix epoch. */
export function epochMilliseconds(host: Pick<Host, 'now'>): number {
  return Number(host.now() / 1_000_000n);
}
