import type { Host } from '../../go/host.ts';

/** Whole numbers by chance, made of the host's random bytes. */
export interface RandomSource {
  /** From 0 up to, but not including, `limit`; each as likely as any other. */
  below(limit: bigint): bigint;
  bytes(size: number): Uint8Array;
}

/** Makes a source over the host's random bytes. */
export function randomSource(host: Host): RandomSource {
  return { below: (limit) => below(host, limit), bytes: (size) => host.randomBytes(size) };
}

/** Draws 64 bits more than the limit has, so that what is left over favours none by more than a part in 2^64. */
function below(host: Host, limit: bigint): bigint {
  const size = Math.ceil(limit.toString(2).length / 8) + 8;
  let number = 0n;
  for (const byte of host.randomBytes(size)) number = (number << 8n) | BigInt(byte);
  return number % limit;
}
