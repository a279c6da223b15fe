import type { Host } from '../../go/host.ts';

/** Random integers and bytes from the host's random bytes. */
export interface RandomSource {
  /** Returns a uniformly distributed number from 0 to `limit`, exclusive. */
  below(limit: bigint): bigint;
  bytes(size: number): Uint8Array;
}

/** Returns a source that draws from the host's random bytes. */
export function randomSource(host: Host): RandomSource {
  return { below: (limit) => below(host, limit), bytes: (size) => host.randomBytes(size) };
}

/** Draws 64 bits more than the limit has, so that the bias of the remainder is below 2^-64. */
function below(host: Host, limit: bigint): bigint {
  const size = Math.ceil(limit.toString(2).length / 8) + 8;
  let number = 0n;
  for (const byte of host.randomBytes(size)) number = (number << 8n) | BigInt(byte);
  return number % limit;
}
