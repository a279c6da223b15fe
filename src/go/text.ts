import { Buffer } from 'node:buffer';

/**
 * Go strings: bytes that are mostly UTF-8. A byte that is not valid UTF-8 is the lone surrogate
 * U+DC00 + byte, see docs/adr/0001-template-values.md. Every function here has a native path for
 * strings without such bytes.
 */

const rawByteBase = 0xdc00;
const replacement = 0xfffd;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
const ascii = /^[\0-\x7f]*$/;

/** Whether every byte of the string is a character, so that JavaScript's offsets equal Go's. */
export function isAscii(text: string): boolean {
  return ascii.test(text);
}

/** Go's `len`: the number of bytes. */
export function byteLength(text: string): number {
  const length = Buffer.byteLength(text);
  return length === text.length || text.isWellFormed() ? length : toBytes(text).length;
}

/** Returns the bytes of a string. */
export function toBytes(text: string): Uint8Array {
  return text.isWellFormed() ? encoder.encode(text) : encodeWithRawBytes(text);
}

function encodeWithRawBytes(text: string): Uint8Array {
  const parts: Uint8Array[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdfff) continue;
    const next = i + 1 < text.length ? text.charCodeAt(i + 1) : 0;
    if (unit < rawByteBase && next >= 0xdc00 && next <= 0xdfff) {
      i++;
      continue;
    }
    const byte = rawByte(unit);
    if (byte === undefined) continue;
    parts.push(encoder.encode(text.slice(start, i)), Uint8Array.of(byte));
    start = i + 1;
  }
  parts.push(encoder.encode(text.slice(start)));
  return new Uint8Array(Buffer.concat(parts));
}

/**
 * Returns the byte that a UTF-16 unit represents; undefined if the unit is not an invalid byte.
 */
function rawByte(unit: number): number | undefined {
  return unit >= rawByteBase + 0x80 && unit <= rawByteBase + 0xff ? unit - rawByteBase : undefined;
}

/** Converts bytes to a string; bytes that are not valid UTF-8 are kept. */
export function fromBytes(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return decodeWithRawBytes(bytes);
  }
}

function decodeWithRawBytes(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length;) {
    const size = sequenceLength(bytes, i);
    if (size === 0) {
      text += String.fromCharCode(rawByteBase + (bytes[i] ?? 0));
      i++;
    } else {
      text += decoder.decode(bytes.subarray(i, i + size));
      i += size;
    }
  }
  return text;
}

/** Returns the number of bytes of the UTF-8 character at an offset; 0 if there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const size =
    first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  if (size === 0 || at + size > bytes.length) return 0;
  const second = bytes[at + 1] ?? 0;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let i = at + 2; i < at + size; i++) {
    if (((bytes[i] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return size;
}

/** Joins halves of split characters, so that equal bytes are equal strings. */
export function normalize(text: string): string {
  return text.isWellFormed() ? text : fromBytes(encodeWithRawBytes(text));
}

/** Go's `==`: whether both strings have the same bytes. */
export function equalStrings(a: string, b: string): boolean {
  return a === b || (!(a.isWellFormed() && b.isWellFormed()) && normalize(a) === normalize(b));
}

/**
 * Compares strings by their bytes, as Go does; returns a negative number, 0 or a positive number.
 */
export function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = a.charCodeAt(i) - b.charCodeAt(i);
    if (difference === 0) continue;
    const wide = a.charCodeAt(i) >= 0xd800 || b.charCodeAt(i) >= 0xd800;
    return wide ? Buffer.compare(toBytes(a), toBytes(b)) : difference;
  }
  return a.length - b.length;
}

const beyondSurrogates = /[\ud800-\uffff]/;

/** Sorts strings in place by their bytes. */
export function sortStrings(texts: string[]): string[] {
  texts.sort();
  return texts.some((text) => beyondSurrogates.test(text)) ? texts.sort(compareStrings) : texts;
}

/** Returns the keys of a map in the order of Go's `range` and `print`. */
export function sortedKeys(map: ReadonlyMap<string, unknown>): string[] {
  return sortStrings([...map.keys()]);
}

/** Go's `text[from:to]`, by bytes. The caller must check the bounds. */
export function sliceBytes(text: string, from: number, to: number): string {
  if (isAscii(text)) return text.slice(from, to);
  return fromBytes(toBytes(text).subarray(from, to));
}

/**
 * Returns the code points of a string as Go's `range` sees them: U+FFFD for each byte that is not
 * valid UTF-8.
 */
export function runes(text: string): number[] {
  const points: number[] = [];
  for (const character of normalize(text)) {
    const point = character.codePointAt(0) ?? replacement;
    points.push(point >= 0xd800 && point <= 0xdfff ? replacement : point);
  }
  return points;
}

/** `utf8.RuneCountInString`. */
export function runeCount(text: string): number {
  return isAscii(text) ? text.length : runes(text).length;
}

/** Go's `string(rune)`: returns the character of a code point, or U+FFFD if it is not valid. */
export function runeText(point: number): string {
  const valid = point >= 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
  return String.fromCodePoint(valid ? point : replacement);
}
