import type { Host } from '../go/host.ts';

/** Returns the host with the real clock, randomness and time zone. */
export function processHost(): Host {
  return {
    now: () => BigInt(Date.now()) * 1_000_000n,
    // loaded when it is used: it takes longer than many a command
    randomBytes: (size) => process.getBuiltinModule('node:crypto').randomBytes(size),
    get timeZone() {
      return Intl.DateTimeFormat().resolvedOptions().timeZone;
    },
  };
}
