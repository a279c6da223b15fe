import { Buffer } from 'node:buffer';
import { fromBytes, toBytes } from '../go/text.ts';
import { GoError } from '../go/value.ts';
import { decodeBase64 } from './support/base64.ts';
import { toByteText } from './support/byte-text.ts';
import type { FunctionFamily } from './support/family.ts';
import { recover } from './support/recover.ts';

/** Digits of standard base32. */
const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

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

/** Decodes standard base32 as Go does: line breaks are removed first, padding is required. */
function decodeBase32(text: string): Uint8Array {
  const input = toByteText(text).replaceAll(/[\r\n]/g, '');
  const bytes: number[] = [];
  for (let start = 0; start < input.length; start += 8) {
    const digits = decodeGroup(input, start);
    let [bits, count] = [0, 0];
    for (const digit of digits) {
      bits = ((bits & 0x7f) << 5) | digit;
      count += 5;
      if (count >= 8) {
        count -= 8;
        bytes.push((bits >> count) & 0xff);
      }
    }
    if (digits.length < 8) break;
  }
  return Uint8Array.from(bytes);
}

/** Returns the digits of the eight characters from `start`, without padding. */
function decodeGroup(input: string, start: number): number[] {
  const digits: number[] = [];
  for (let i = 0; i < 8; i++) {
    const at = start + i;
    if (at >= input.length) throw corrupt(input.length - i);
    if (input[at] === '=' && i >= 2 && input.length - at - 1 < 8) {
      checkPadding(input, at, i);
      return digits;
    }
    const digit = base32Alphabet.indexOf(input.charAt(at));
    if (digit < 0) throw corrupt(at);
    digits.push(digit);
  }
  return digits;
}

function checkPadding(input: string, at: number, digits: number): void {
  const rest = input.slice(at + 1);
  if (rest.length + digits < 7) throw corrupt(input.length);
  for (let k = 0; k < 7 - digits; k++) {
    if (rest.length > k && rest[k] !== '=') throw corrupt(at + k);
  }
  if (digits === 3 || digits === 6) throw corrupt(at);
}

function corrupt(at: number): GoError {
  return new GoError(`illegal base32 data at input byte ${at}`);
}
