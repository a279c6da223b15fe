import { Buffer } from 'node:buffer';
import { GoError } from '../../go/value.ts';
import { toByteText } from './byte-text.ts';

const wellFormed = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const digit = /[A-Za-z0-9+/]/;

/**
 * Decodes standard base64 as Go does. Line breaks are skipped; the error has the byte offset that
 * Go reports.
 */
export function decodeBase64(text: string): Uint8Array {
  if (!wellFormed.test(text)) {
    const at = corruptAt(toByteText(text));
    if (at !== undefined) throw new GoError(`illegal base64 data at input byte ${at}`);
  }
  return new Uint8Array(Buffer.from(text, 'base64'));
}

function corruptAt(input: string): number | undefined {
  let digits = 0;
  for (let i = 0; i < input.length; i++) {
    const character = input.charAt(i);
    if (isLineBreak(character)) continue;
    if (digit.test(character)) {
      digits = (digits + 1) % 4;
      continue;
    }
    return character === '=' ? corruptPadding(input, i, digits) : i;
  }
  return digits === 0 ? undefined : input.length - digits;
}

/**
 * Returns the offset of an error in padding that starts at `at`, after `digits` digits of a group
 * of four.
 */
function corruptPadding(input: string, at: number, digits: number): number | undefined {
  if (digits < 2) return at;
  let next = at + 1;
  if (digits === 2) {
    next = skipLineBreaks(input, next);
    if (next === input.length) return next;
    if (input[next] !== '=') return next - 1;
    next++;
  }
  next = skipLineBreaks(input, next);
  return next < input.length ? next : undefined;
}

function isLineBreak(character: string | undefined): boolean {
  return character === '\n' || character === '\r';
}

function skipLineBreaks(input: string, from: number): number {
  let next = from;
  while (isLineBreak(input[next])) next++;
  return next;
}
