import { isBlank, isBlankOrEnd, isBreak, isBreakOrEnd, isDigit } from './character.ts';
import type { Scanner } from './scanner.ts';
import type { Token } from './token.ts';

/** What line breaks between two pieces of text come to: the first is a space unless others follow. */
function foldBreaks(first: string, others: string): string {
  if (first !== '\n') return first + others;
  return others === '' ? ' ' : others;
}

/** Goes over the text of a plain scalar up to white space, or to what ends it. */
function skipPlainText(scanner: Scanner): void {
  const { text } = scanner;
  const inFlow = scanner.flowLevel > 0;
  let { at } = scanner;
  for (; ; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 63 && unit < 91) continue;
    if (isBlankOrEnd(unit)) break;
    if (unit === 58) {
      if (isBlankOrEnd(text.charCodeAt(at + 1))) break;
    } else if (inFlow && isFlowMark(unit)) break;
  }
  scanner.at = at;
}

/** A character that ends a plain scalar in brackets: `,?[]{}`. */
function isFlowMark(unit: number): boolean {
  return unit === 44 || unit === 63 || unit === 91 || unit === 93 || unit === 123 || unit === 125;
}

/** Scans a scalar without quotes. It may go on over lines that are further in than what it is in. */
export function scanPlain(scanner: Scanner): Token {
  const { line } = scanner;
  const indent = scanner.indent + 1;
  let text = '';
  let gap = { text: '', broken: false };
  for (;;) {
    if (scanner.atDocumentMark() || scanner.unit() === 35) break;
    const piece = scanner.at;
    skipPlainText(scanner);
    if (scanner.at > piece) {
      text += gap.text + scanner.text.slice(piece, scanner.at);
      gap = { text: '', broken: false };
    }
    const unit = scanner.unit();
    if (!isBlank(unit) && !isBreak(unit)) break;
    gap = skipGap(scanner, indent);
    if (scanner.flowLevel === 0 && scanner.column() < indent) break;
  }
  if (gap.broken) scanner.keyAllowed = true;
  return { type: 'scalar', text, plain: true, line };
}

/** Goes over the white space between two pieces of a plain scalar, and says what it comes to. */
function skipGap(scanner: Scanner, indent: number): { text: string; broken: boolean } {
  const start = scanner.at;
  scanner.skipBlanks();
  if (!isBreak(scanner.unit())) return { text: scanner.text.slice(start, scanner.at), broken: false };
  const first = scanner.readBreak();
  let others = '';
  for (;;) {
    const unit = scanner.unit();
    if (isBreak(unit)) others += scanner.readBreak();
    else if (!isBlank(unit)) return { text: foldBreaks(first, others), broken: true };
    else if (unit === 9 && scanner.column() < indent) {
      scanner.fail('found a tab character that violates indentation');
    } else scanner.at++;
  }
}

/** Scans a scalar in quotes of that kind. */
export function scanQuoted(scanner: Scanner, quote: number): Token {
  const { line } = scanner;
  scanner.at++;
  let text = '';
  for (;;) {
    if (scanner.atDocumentMark()) scanner.fail('found unexpected document indicator');
    if (scanner.unit() === 0) scanner.fail('found unexpected end of stream');
    const { piece, joined } = scanQuotedPiece(scanner, quote);
    text += piece;
    if (scanner.unit() === quote) break;
    text += skipQuotedGap(scanner, joined);
  }
  scanner.at++;
  return { type: 'scalar', text, plain: false, line };
}

/** The text up to the next white space or the closing quote; joined if a backslash stands before the line break that ended it. */
function scanQuotedPiece(scanner: Scanner, quote: number): { piece: string; joined: boolean } {
  let piece = '';
  let start = scanner.at;
  for (let unit = scanner.unit(); !isBlankOrEnd(unit); unit = scanner.unit()) {
    if (unit === quote) {
      if (quote !== 39 || scanner.unit(1) !== 39) break;
      piece += scanner.text.slice(start, scanner.at + 1);
      scanner.at += 2;
      start = scanner.at;
    } else if (unit === 92 && quote === 34) {
      piece += scanner.text.slice(start, scanner.at);
      if (isBreak(scanner.unit(1))) {
        scanner.at++;
        scanner.skipBreak();
        return { piece, joined: true };
      }
      piece += scanEscape(scanner);
      start = scanner.at;
    } else scanner.at++;
  }
  return { piece: piece + scanner.text.slice(start, scanner.at), joined: false };
}

/** Goes over white space in quotes, and says what it comes to. */
function skipQuotedGap(scanner: Scanner, joined: boolean): string {
  const start = scanner.at;
  scanner.skipBlanks();
  if (!joined && !isBreak(scanner.unit())) return scanner.text.slice(start, scanner.at);
  const first = joined ? '' : scanner.readBreak();
  let others = '';
  for (let unit = scanner.unit(); isBlank(unit) || isBreak(unit); unit = scanner.unit()) {
    if (isBreak(unit)) others += scanner.readBreak();
    else scanner.at++;
  }
  return foldBreaks(first, others);
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['\t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  [' ', ' '],
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
  ['N', '\x85'],
  ['_', '\xa0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
]);

const codeLengths: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

function scanEscape(scanner: Scanner): string {
  const letter = scanner.text.charAt(scanner.at + 1);
  const character = escapes.get(letter);
  const codeLength = codeLengths.get(letter) ?? 0;
  if (character === undefined && codeLength === 0) scanner.fail('found unknown escape character');
  scanner.at += 2;
  if (character !== undefined) return character;
  const digits = scanner.text.slice(scanner.at, scanner.at + codeLength);
  if (digits.length < codeLength || !/^[0-9a-fA-F]+$/.test(digits)) {
    scanner.fail('did not find expected hexdecimal number');
  }
  const point = parseInt(digits, 16);
  if ((point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff) {
    scanner.fail('found invalid Unicode character escape code');
  }
  scanner.at += codeLength;
  return String.fromCodePoint(point);
}

type Chomping = 'strip' | 'clip' | 'keep';

/** Scans a scalar of the lines below, as they stand or folded. */
export function scanBlockScalar(scanner: Scanner, literal: boolean): Token {
  const { line } = scanner;
  scanner.at++;
  const { chomping, increment } = scanBlockHeader(scanner);
  let { breaks, indent } = skipBlockBreaks(scanner, increment === 0 ? 0 : Math.max(scanner.indent, 0) + increment);
  let text = '';
  let lineEnd = '';
  let wasBlank = false;
  while (scanner.column() === indent && scanner.unit() !== 0) {
    const blank = isBlank(scanner.unit());
    text += !literal && !wasBlank && !blank && lineEnd === '\n' ? foldBreaks(lineEnd, breaks) : lineEnd + breaks;
    wasBlank = blank;
    const content = scanner.at;
    scanner.skipLine();
    text += scanner.text.slice(content, scanner.at);
    lineEnd = scanner.unit() === 0 ? '' : scanner.readBreak();
    ({ breaks, indent } = skipBlockBreaks(scanner, indent));
  }
  if (chomping !== 'strip') text += lineEnd;
  if (chomping === 'keep') text += breaks;
  return { type: 'scalar', text, plain: false, line };
}

function scanBlockHeader(scanner: Scanner): { chomping: Chomping; increment: number } {
  let chomping = scanChomping(scanner);
  let increment = 0;
  if (isDigit(scanner.unit())) {
    increment = scanner.unit() - 48;
    if (increment === 0) scanner.fail('found an indentation indicator equal to 0');
    scanner.at++;
  }
  chomping ??= scanChomping(scanner);
  scanner.skipBlanks();
  scanner.skipComment();
  if (!isBreakOrEnd(scanner.unit())) scanner.fail('did not find expected comment or line break');
  if (scanner.unit() !== 0) scanner.skipBreak();
  return { chomping: chomping ?? 'clip', increment };
}

function scanChomping(scanner: Scanner): Chomping | undefined {
  const unit = scanner.unit();
  if (unit !== 43 && unit !== 45) return undefined;
  scanner.at++;
  return unit === 43 ? 'keep' : 'strip';
}

/** Goes over empty lines and the indentation of the next; where that is not known yet (0), it is found. */
function skipBlockBreaks(scanner: Scanner, known: number): { breaks: string; indent: number } {
  let breaks = '';
  let widest = 0;
  for (;;) {
    while ((known === 0 || scanner.column() < known) && scanner.unit() === 32) scanner.at++;
    const column = scanner.column();
    widest = Math.max(widest, column);
    if ((known === 0 || column < known) && scanner.unit() === 9) {
      scanner.fail('found a tab character where an indentation space is expected');
    }
    if (!isBreak(scanner.unit())) break;
    breaks += scanner.readBreak();
  }
  return { breaks, indent: known === 0 ? Math.max(widest, scanner.indent + 1, 1) : known };
}
