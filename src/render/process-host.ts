import { randomBytes } from 'node:crypto';
import type { Host } from '../go/host.ts';

/** Returns the host with the real clock, randomness and time zone. */
export function processHost(): Host {
  return {
    now: () => BigInt(Date.now()) * 1_000_000n,
    randomBytes: (size) => randomBytes(size),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}
