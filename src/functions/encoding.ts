import { Buffer } from 'node:buffer';
import { fromBytes, toBytes } from '../go/text.ts';
import { base32Alphabet, decodeBase32 } from './support/base32.ts';
import { decodeBase64 } from './support/base64.ts';
import type { FunctionFamily } from './support/family.ts';
import { recover } from './support/recover.ts';

const text = ['string'] as const;

/** Sprig's base64 and base32. If decoding fails, the result is the text of Go's error. */
export const encodingFunctions: FunctionFamily = {
  b64enc: { params: text, call: (value: string) => Buffer.from(toBytes(value)).toString('base64') },
  b64dec: { params: text, call: (value: string) => decodeOrMessage(() => fromBytes(decodeBase64(value))) },
  b32enc: { params: text, call: encodeBase32 },
  b32dec: { params: text, call: (value: string) => decodeOrMessage(() => fromBytes(decodeBase32(value))) },
};

/** Returns the decoded text, or the error's message. */
function decodeOrMessage(decode: () => string): string {
  return recover(decode, (message) => message);
}

function encodeBase32(value: string): string {
  const bytes = toBytes(value);
  let [encoded, bits, count] = ['', 0, 0];
  for (const byte of bytes) {
    bits = ((bits & 0xff) << 8) | byte;
    for (count += 8; count >= 5; count -= 5) encoded += base32Alphabet.charAt((bits >> (count - 5)) & 31);
  }
  if (count > 0) encoded += base32Alphabet.charAt((bits << (5 - count)) & 31);
  return encoded.padEnd(Math.ceil(encoded.length / 8) * 8, '=');
}
