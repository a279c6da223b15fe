import { fromBytes, toBytes } from '../go/text.ts';
import { YamlError } from './yaml-error.ts';

/** A YAML text up to its first invalid character. */
export interface YamlText {
  readonly text: string;
  /** The error for the character after `text`, reported once that position is read. */
  readonly problem: YamlError | undefined;
}

const forbidden = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const chunkSize = 512;

/** A way in which characters are written as bytes. */
interface Encoding {
  readonly decode: (bytes: Uint8Array) => string;
  /**
   * Returns the size of the character at an offset, 0 if it continues after `end`, or the error if
   * it is invalid.
   */
  readonly check: (bytes: Uint8Array, at: number, end: number) => number | string;
}

const utf8: Encoding = { decode: fromBytes, check: checkUtf8 };

/**
 * Removes the byte order mark, and finds invalid characters. go-yaml reads ahead by half a
 * kilobyte, and checks all of it.
 */
export function readYamlText(text: string): YamlText {
  if (text.startsWith('\udcff\udcfe')) return readChunks(toBytes(text), 2, utf16(true));
  if (text.startsWith('\udcfe\udcff')) return readChunks(toBytes(text), 2, utf16(false));
  const content = text.startsWith('\ufeff') ? text.slice(1) : text;
  if (!forbidden.test(content)) return { text: content, problem: undefined };
  return readChunks(toBytes(text), text === content ? 0 : 3, utf8);
}

function utf16(isLittleEndian: boolean): Encoding {
  const decoder = new TextDecoder(isLittleEndian ? 'utf-16le' : 'utf-16be', { ignoreBOM: true });
  return {
    decode: (bytes) => decoder.decode(bytes),
    check: (bytes, at, end) => checkUtf16(bytes, at, end, isLittleEndian),
  };
}

function readChunks(bytes: Uint8Array, start: number, { decode, check }: Encoding): YamlText {
  let at = start;
  let end = Math.min(chunkSize, bytes.length);
  for (;;) {
    const chunkStart = at;
    for (;;) {
      const size = at < end ? check(bytes, at, end) : 0;
      if (typeof size === 'string') {
        const text = decode(bytes.subarray(start, chunkStart));
        return { text, problem: new YamlError(`yaml: ${size}`) };
      }
      if (size === 0) break;
      at += size;
    }
    if (end === bytes.length) return { text: decode(bytes.subarray(start)), problem: undefined };
    end = Math.min(at + chunkSize, bytes.length);
  }
}

function checkUtf8(bytes: Uint8Array, at: number, end: number): number | string {
  const lead = bytes[at] ?? 0;
  const size = lead < 0x80 ? 1 : lead >> 5 === 6 ? 2 : lead >> 4 === 14 ? 3 : lead >> 3 === 30 ? 4 : 0;
  if (size === 0) return 'invalid leading UTF-8 octet';
  if (at + size > end) return end === bytes.length ? 'incomplete UTF-8 octet sequence' : 0;
  let point = size === 1 ? lead : lead & (0x7f >> size);
  for (let i = 1; i < size; i++) {
    const octet = bytes[at + i] ?? 0;
    if (octet >> 6 !== 2) return 'invalid trailing UTF-8 octet';
    point = (point << 6) | (octet & 0x3f);
  }
  const smallest = size === 2 ? 0x80 : size === 3 ? 0x800 : size === 4 ? 0x10000 : 0;
  if (point < smallest) return 'invalid length of a UTF-8 sequence';
  if ((point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff) return 'invalid Unicode character';
  return checkPoint(point, size);
}

function checkUtf16(bytes: Uint8Array, at: number, end: number, isLittleEndian: boolean): number | string {
  const isLast = end === bytes.length;
  if (at + 2 > end) return isLast ? 'incomplete UTF-16 character' : 0;
  const unit = unitAt(bytes, at, isLittleEndian);
  if (isLowSurrogate(unit)) return 'unexpected low surrogate area';
  if (unit >> 10 !== 0xd800 >> 10) return checkPoint(unit, 2);
  if (at + 4 > end) return isLast ? 'incomplete UTF-16 surrogate pair' : 0;
  // all characters of pairs are allowed
  return isLowSurrogate(unitAt(bytes, at + 2, isLittleEndian)) ? 4 : 'expected low surrogate area';
}

function unitAt(bytes: Uint8Array, at: number, isLittleEndian: boolean): number {
  const [first = 0, second = 0] = [bytes[at], bytes[at + 1]];
  return isLittleEndian ? first | (second << 8) : second | (first << 8);
}

function isLowSurrogate(unit: number): boolean {
  return unit >> 10 === 0xdc00 >> 10;
}

function checkPoint(point: number, size: number): number | string {
  return forbidden.test(String.fromCodePoint(point)) ? 'control characters are not allowed' : size;
}
