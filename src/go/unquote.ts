import { fromBytes, toBytes } from './text.ts';

const shortEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

const plain = /^[^\\]+/;
const escapeSequence = /^\\(?:([abfnrtv\\'"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))/;

/**
 * `strconv.Unquote`: returns the value of a Go string literal in double quotes or backquotes;
 * undefined if it is not one.
 */
export function unquote(literal: string): string | undefined {
  const mark = literal[0];
  if (literal.length < 2 || literal.at(-1) !== mark) return undefined;
  const body = literal.slice(1, -1);
  if (mark === '`') return body.includes('`') ? undefined : body.replaceAll('\r', '');
  if (mark !== '"' || body.includes('\n')) return undefined;
  return unescape(body, mark);
}

/**
 * `UnquoteExtend` of client-go's JSONPath: like {@link unquote}, but allows single quotes and line
 * breaks.
 */
export function unquoteExtended(literal: string): string | undefined {
  return unescape(literal.slice(1, -1), literal.charAt(0));
}

function unescape(body: string, mark: string): string | undefined {
  if (!body.includes('\\') && !body.includes(mark) && body.isWellFormed()) return body;
  let text = '';
  for (let rest = body; rest !== '';) {
    const part = nextPart(rest, mark);
    if (part === undefined) return undefined;
    text += part.text;
    rest = rest.slice(part.length);
  }
  return text.isWellFormed() ? text : fromBytes(toBytes(text));
}

/** The first character in a Go literal, and the rest of the literal. */
export interface FirstCharacter {
  readonly point: number;
  readonly rest: string;
}

/**
 * `strconv.UnquoteChar`: reads the first character of a literal in single quotes, and returns
 * `rest`, the text after it; undefined if there is none. An escaped byte counts as the character
 * with that number.
 */
export function unquoteCharacter(body: string): FirstCharacter | undefined {
  const part = nextPart(body, "'");
  return part === undefined ? undefined : { point: part.point, rest: body.slice(part.length) };
}

interface LiteralPart {
  /** Number of characters in the literal. */
  readonly length: number;
  readonly text: string;
  readonly point: number;
}

function nextPart(rest: string, mark: string): LiteralPart | undefined {
  if (rest.startsWith(mark)) return undefined;
  if (!rest.startsWith('\\')) return plainPart(rest, mark);
  const match = escapeSequence.exec(rest);
  if (match === null) return undefined;
  const [{ length }, short, byte, u4, u8, octal] = match;
  if (short !== undefined) return shortEscapePart(short, mark);
  if (byte !== undefined) return bytePart(length, Number.parseInt(byte, 16));
  if (octal !== undefined) return bytePart(length, Number.parseInt(octal, 8));
  const point = Number.parseInt(u4 ?? u8 ?? '', 16);
  if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined;
  return { length, text: String.fromCodePoint(point), point };
}

/** Reads the text up to the next escape in double quotes, one character in single quotes. */
function plainPart(rest: string, mark: string): LiteralPart | undefined {
  const point = rest.codePointAt(0);
  if (point === undefined) return undefined;
  if (mark === "'") {
    const text = String.fromCodePoint(point);
    return { length: text.length, text: text.toWellFormed(), point: text.isWellFormed() ? point : 0xfffd };
  }
  const text = (plain.exec(rest)?.[0] ?? '').split(mark, 1)[0] ?? '';
  if (text === '') return undefined;
  return { length: text.length, text: text.toWellFormed(), point };
}

function shortEscapePart(letter: string, mark: string): LiteralPart | undefined {
  if ((letter === "'" || letter === '"') && letter !== mark) return undefined;
  const text = shortEscapes[letter] ?? letter;
  return { length: 2, text, point: text.charCodeAt(0) };
}

function bytePart(length: number, byte: number): LiteralPart | undefined {
  if (byte > 0xff) return undefined;
  return { length, text: byte < 0x80 ? String.fromCharCode(byte) : String.fromCharCode(0xdc00 + byte), point: byte };
}
