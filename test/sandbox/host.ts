import { randomBytes } from 'node:crypto';
import type { SandboxHost } from '../../src/sandbox/sandbox-host.ts';

/** The real time and real randomness. */
export const testHost: SandboxHost = {
  now: () => BigInt(Date.now()) * 1_000_000n,
  randomBytes: (size) => randomBytes(size),
};
