import type { Host } from '../go/host.ts';

/** Whole numbers by chance, made of the host's random bytes. */
export interface RandomSource {
  /** From 0 up to, but not including, `limit`; each equally likely. */
  below(limit: bigint): bigint;
  bytes(size: number): Uint8Array;
}

/** Makes a source over the host's random bytes. */
export function randomSource(host: Host): RandomSource {
  return { below: (limit) => below(host, limit), bytes: (size) => host.randomBytes(size) };
}

/** Draws as many bits as the limit has until the number is under it, so that none is more likely than another. */
function below(host: Host, limit: bigint): bigint {
  const bits = (limit - 1n).toString(2).length;
  const size = Math.ceil(bits / 8);
  for (;;) {
    let number = 0n;
    for (const byte of host.randomBytes(size)) number = (number << 8n) | BigInt(byte);
    number = BigInt.asUintN(bits, number);
    if (number < limit) return number;
  }
}
