import { createHash } from 'node:crypto';
import { toBytes } from '../go/text.ts';
import type { GoFunction } from '../go/value.ts';
import type { FunctionFamily } from './support/family.ts';

/** Sprig's checksums of strings. */
export const digestFunctions: FunctionFamily = {
  sha1sum: hexDigest('sha1'),
  sha256sum: hexDigest('sha256'),
  sha512sum: hexDigest('sha512'),
  adler32sum: { params: ['string'], call: (text: string) => String(adler32(toBytes(text))) },
};

function hexDigest(algorithm: string): GoFunction {
  return { params: ['string'], call: (text: string) => createHash(algorithm).update(toBytes(text)).digest('hex') };
}

function adler32(bytes: Uint8Array): number {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return b * 65536 + a;
}
