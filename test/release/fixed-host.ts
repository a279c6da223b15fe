import type { Host } from '../../src/go/host.ts';

/** A host whose clock moves by a second at each look. */
export function fixedHost(start = 1_700_000_000_000_000_000n): Host {
  let now = start;
  return {
    now() {
      now += 1_000_000_000n;
      return now;
    },
    randomBytes: (size) => new Uint8Array(size),
    timeZone: 'UTC',
  };
}
