import type { Host } from '../../src/go/host.ts';
import { processHost } from '../../src/render/process-host.ts';

/** 2023-11-14T22:13:20.5Z, bytes that count up, and UTC. */
export const fixedHost: Host = {
  now: () => 1_700_000_000_500_000_000n,
  randomBytes: (size) => Uint8Array.from({ length: size }, (_, index) => (index * 37 + 11) % 256),
  timeZone: 'UTC',
};

/** Returns a host whose clock starts at 2023-11-14T22:13:20Z and gains a second at each reading. */
export function steppingHost(): Host {
  let now = 1_700_000_000_000_000_000n;
  return { ...fixedHost, now: () => (now += 1_000_000_000n) };
}

/** The real clock, randomness and time zone. */
export const realHost = processHost();
