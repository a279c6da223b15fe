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

/** What a Go string literal, in double quotes or backquotes, stands for; undefined where it is none: `strconv.Unquote`. */
export function unquote(literal: string): string | undefined {
  const mark = literal[0];
  if (literal.length < 2 || literal.at(-1) !== mark) return undefined;
  const body = literal.slice(1, -1);
  if (mark === '`') return body.includes('`') ? undefined : body.replaceAll('\r', '');
  if (mark !== '"' || body.includes('\n')) return undefined;
  return unescape(body, mark);
}

/** As {@link unquote} between quotes of either kind, which may hold line breaks: `UnquoteExtend` of client-go's JSONPath. */
export function unquoteExtended(literal: string): string | undefined {
  return unescape(literal.slice(1, -1), literal.charAt(0));
}

function unescape(body: string, mark: string): string | undefined {
  if (!body.includes('\\') && !body.includes(mark) && body.isWellFormed()) return body;
  let text = '';
  for (let rest = body; rest !== '';) {
    const unit = nextUnit(rest, mark);
    if (unit === undefined) return undefined;
    text += unit.text;
    rest = rest.slice(unit.length);
  }
  return text.isWellFormed() ? text : fromBytes(toBytes(text));
}

/** The first character of what a Go literal holds, and what follows it in the literal. */
export interface FirstCharacter {
  readonly point: number;
  readonly rest: string;
}

/**
 * The first character between single quotes, `rest` being what stands after it; undefined where there is none: `strconv.UnquoteChar`.
 * A byte that is escaped counts as the character of that number.
 */
export function unquoteCharacter(body: string): FirstCharacter | undefined {
  const unit = nextUnit(body, "'");
  return unit === undefined ? undefined : { point: unit.point, rest: body.slice(unit.length) };
}

interface Unit {
  /** How much of the literal it takes. */
  readonly length: number;
  readonly text: string;
  readonly point: number;
}

function nextUnit(rest: string, mark: string): Unit | undefined {
  if (rest.startsWith(mark)) return undefined;
  if (!rest.startsWith('\\')) return plainUnit(rest, mark);
  const match = escapeSequence.exec(rest);
  if (match === null) return undefined;
  const [{ length }, short, byte, u4, u8, octal] = match;
  if (short !== undefined) return shortUnit(short, mark);
  if (byte !== undefined) return byteUnit(length, Number.parseInt(byte, 16));
  if (octal !== undefined) return byteUnit(length, Number.parseInt(octal, 8));
  const point = Number.parseInt(u4 ?? u8 ?? '', 16);
  if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined;
  return { length, text: String.fromCodePoint(point), point };
}

/** In double quotes everything up to the next escape, in single quotes one character. */
function plainUnit(rest: string, mark: string): Unit | undefined {
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

function shortUnit(letter: string, mark: string): Unit | undefined {
  if ((letter === "'" || letter === '"') && letter !== mark) return undefined;
  const text = shortEscapes[letter] ?? letter;
  return { length: 2, text, point: text.charCodeAt(0) };
}

function byteUnit(length: number, byte: number): Unit | undefined {
  if (byte > 0xff) return undefined;
  return { length, text: byte < 0x80 ? String.fromCharCode(byte) : String.fromCharCode(0xdc00 + byte), point: byte };
}
