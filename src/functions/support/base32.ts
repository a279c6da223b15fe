import { GoError } from '../../go/value.ts';
import { toByteText } from './byte-text.ts';

/** Digits of standard base32. */
export const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Decodes standard base32 as Go does: line breaks are removed first, padding is required. */
export function decodeBase32(text: string): Uint8Array {
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
