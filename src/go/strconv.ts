import { isPrint } from './printable.ts';
import { normalize, runeText } from './text.ts';

const shortEscapes: ReadonlyMap<number, string> = new Map([
  [0x07, '\\a'],
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0b, '\\v'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
  [0x5c, '\\\\'],
]);

const nothingToEscape = /^[ !#-[\]-~]*$/;

/** `strconv.Quote`: returns a string as a Go literal in double quotes. */
export function quote(text: string): string {
  return nothingToEscape.test(text) ? `"${text}"` : quoteWith(text, '"', false);
}

/** `strconv.QuoteToASCII`: like {@link quote}, but escapes all non-ASCII characters. */
export function quoteToAscii(text: string): string {
  return nothingToEscape.test(text) ? `"${text}"` : quoteWith(text, '"', true);
}

/** `strconv.QuoteRune`: returns a character as a Go literal in single quotes. */
export function quoteRune(point: number): string {
  return quoteWith(runeText(point), "'", false);
}

/** `strconv.QuoteRuneToASCII`: like {@link quoteRune}, but escapes all non-ASCII characters. */
export function quoteRuneToAscii(point: number): string {
  return quoteWith(runeText(point), "'", true);
}

function quoteWith(text: string, mark: string, asciiOnly: boolean): string {
  let quoted = mark;
  for (const character of normalize(text)) quoted += escape(character, mark, asciiOnly);
  return quoted + mark;
}

function escape(character: string, mark: string, asciiOnly: boolean): string {
  const point = character.codePointAt(0) ?? 0;
  if (character === mark) return `\\${mark}`;
  const short = shortEscapes.get(point);
  if (short !== undefined) return short;
  if (point >= 0xd800 && point <= 0xdfff) return `\\x${hex(point & 0xff, 2)}`;
  if ((!asciiOnly || point < 0x80) && isPrint(point)) return character;
  if (point < 0x20 || point === 0x7f) return `\\x${hex(point, 2)}`;
  return point < 0x10000 ? `\\u${hex(point, 4)}` : `\\U${hex(point, 8)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

/** `strconv.CanBackquote`: whether a string can be written unchanged between backquotes. */
export function canBackquote(text: string): boolean {
  return normalize(text).isWellFormed() && !/[\0-\x08\x0a-\x1f`\x7f\ufeff]/.test(text);
}
