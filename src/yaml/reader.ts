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

/**
 * Removes the byte order mark, and finds invalid characters. go-yaml reads ahead by half a
 * kilobyte, and checks all of it.
 */
export function readYamlText(text: string): YamlText {
  if (/^(?:\udcff\udcfe|\udcfe\udcff)/.test(text)) return readYamlText(decodeUtf16(text));
  const content = text.startsWith('\ufeff') ? text.slice(1) : text;
  if (!forbidden.test(content)) return { text: content, problem: undefined };
  return readChunks(toBytes(text), text === content ? 0 : 3);
}

function decodeUtf16(text: string): string {
  const bytes = toBytes(text);
  const encoding = bytes[0] === 0xff ? 'utf-16le' : 'utf-16be';
  return new TextDecoder(encoding).decode(bytes);
}

function readChunks(bytes: Uint8Array, start: number): YamlText {
  let at = start;
  let end = Math.min(chunkSize, bytes.length);
  for (;;) {
    const chunkStart = at;
    for (;;) {
      const size = at < end ? checkCharacter(bytes, at, end) : 0;
      if (typeof size === 'string') {
        const text = fromBytes(bytes.subarray(start, chunkStart));
        return { text, problem: new YamlError(`yaml: ${size}`) };
      }
      if (size === 0) break;
      at += size;
    }
    if (end === bytes.length) return { text: fromBytes(bytes.subarray(start)), problem: undefined };
    end = Math.min(at + chunkSize, bytes.length);
  }
}

/**
 * Returns the size of the character at an offset, 0 if it continues after `end`, or the error if it
 * is invalid.
 */
function checkCharacter(bytes: Uint8Array, at: number, end: number): number | string {
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
  return forbidden.test(String.fromCodePoint(point)) ? 'control characters are not allowed' : size;
}
