import { code, isBlank, isBlankOrEnd, isBreak, isBreakOrEnd, isDigit } from './character.ts';
import type { Cursor } from './cursor.ts';
import type { Token } from './token.ts';

/** Folds line breaks: a single one becomes a space, unless other breaks follow. */
function foldBreaks(first: string, others: string): string {
  if (first !== '\n') return first + others;
  return others === '' ? ' ' : others;
}

/** Skips the text of a plain scalar up to white space or its end. */
function skipPlainText(cursor: Cursor): void {
  const { text } = cursor;
  const inFlow = cursor.flowLevel > 0;
  let { at } = cursor;
  for (; ; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 63 && unit < 91) continue;
    if (isBlankOrEnd(unit)) break;
    if (unit === code.colon) {
      if (isBlankOrEnd(text.charCodeAt(at + 1))) break;
    } else if (inFlow && isFlowIndicator(unit)) break;
  }
  cursor.at = at;
}

/** Whether a character ends a plain scalar in brackets: `,?[]{}`. */
function isFlowIndicator(unit: number): boolean {
  return (
    unit === code.comma ||
    unit === code.questionMark ||
    unit === code.openBracket ||
    unit === code.closeBracket ||
    unit === code.openBrace ||
    unit === code.closeBrace
  );
}

/** Scans an unquoted scalar. It may continue on lines that are indented deeper than its parent. */
export function scanPlain(cursor: Cursor): Token {
  const { line } = cursor;
  const indent = cursor.indent + 1;
  let text = '';
  let gap = { text: '', broken: false };
  for (;;) {
    if (cursor.isAtDocumentMarker() || cursor.unit() === code.hash) break;
    const piece = cursor.at;
    skipPlainText(cursor);
    if (cursor.at > piece) {
      text += gap.text + cursor.text.slice(piece, cursor.at);
      gap = { text: '', broken: false };
    }
    const unit = cursor.unit();
    if (!isBlank(unit) && !isBreak(unit)) break;
    gap = skipGap(cursor, indent);
    if (cursor.flowLevel === 0 && cursor.column() < indent) break;
  }
  if (gap.broken) cursor.isKeyAllowed = true;
  return { type: 'scalar', text, plain: true, line };
}

/** Skips white space between two pieces of a plain scalar, and returns its value. */
function skipGap(cursor: Cursor, indent: number): { text: string; broken: boolean } {
  const start = cursor.at;
  cursor.skipBlanks();
  if (!isBreak(cursor.unit())) return { text: cursor.text.slice(start, cursor.at), broken: false };
  const first = cursor.readBreak();
  let others = '';
  for (;;) {
    const unit = cursor.unit();
    if (isBreak(unit)) others += cursor.readBreak();
    else if (!isBlank(unit)) return { text: foldBreaks(first, others), broken: true };
    else if (unit === code.tab && cursor.column() < indent) {
      cursor.fail('found a tab character that violates indentation');
    } else cursor.at++;
  }
}

/** Scans a scalar in single quotes. */
export function scanSingleQuoted(cursor: Cursor): Token {
  return scanQuoted(cursor, code.singleQuote);
}

/** Scans a scalar in double quotes. */
export function scanDoubleQuoted(cursor: Cursor): Token {
  return scanQuoted(cursor, code.doubleQuote);
}

/** Scans a quoted scalar. `quote` is the character code of the quote. */
function scanQuoted(cursor: Cursor, quote: number): Token {
  const { line } = cursor;
  cursor.at++;
  let text = '';
  for (;;) {
    if (cursor.isAtDocumentMarker()) cursor.fail('found unexpected document indicator');
    if (cursor.unit() === 0) cursor.fail('found unexpected end of stream');
    const { piece, joined } = scanQuotedPiece(cursor, quote);
    text += piece;
    if (cursor.unit() === quote) break;
    text += skipQuotedGap(cursor, joined);
  }
  cursor.at++;
  return { type: 'scalar', text, plain: false, line };
}

/**
 * Reads text up to the next white space or the closing quote. `joined`: a backslash escaped the
 * line break that ended it.
 */
function scanQuotedPiece(cursor: Cursor, quote: number): { piece: string; joined: boolean } {
  let piece = '';
  let start = cursor.at;
  for (let unit = cursor.unit(); !isBlankOrEnd(unit); unit = cursor.unit()) {
    if (unit === quote) {
      if (quote !== code.singleQuote || cursor.unit(1) !== code.singleQuote) break;
      piece += cursor.text.slice(start, cursor.at + 1);
      cursor.at += 2;
      start = cursor.at;
    } else if (unit === code.backslash && quote === code.doubleQuote) {
      piece += cursor.text.slice(start, cursor.at);
      if (isBreak(cursor.unit(1))) {
        cursor.at++;
        cursor.skipBreak();
        return { piece, joined: true };
      }
      piece += scanEscape(cursor);
      start = cursor.at;
    } else cursor.at++;
  }
  return { piece: piece + cursor.text.slice(start, cursor.at), joined: false };
}

/** Skips white space in quotes, and returns its value. */
function skipQuotedGap(cursor: Cursor, joined: boolean): string {
  const start = cursor.at;
  cursor.skipBlanks();
  if (!joined && !isBreak(cursor.unit())) return cursor.text.slice(start, cursor.at);
  const first = joined ? '' : cursor.readBreak();
  let others = '';
  for (let unit = cursor.unit(); isBlank(unit) || isBreak(unit); unit = cursor.unit()) {
    if (isBreak(unit)) others += cursor.readBreak();
    else cursor.at++;
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

function scanEscape(cursor: Cursor): string {
  const letter = cursor.text.charAt(cursor.at + 1);
  const character = escapes.get(letter);
  const codeLength = codeLengths.get(letter) ?? 0;
  if (character === undefined && codeLength === 0) cursor.fail('found unknown escape character');
  cursor.at += 2;
  if (character !== undefined) return character;
  const digits = cursor.text.slice(cursor.at, cursor.at + codeLength);
  if (digits.length < codeLength || !/^[0-9a-fA-F]+$/.test(digits)) {
    cursor.fail('did not find expected hexdecimal number');
  }
  const point = parseInt(digits, 16);
  if ((point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff) {
    cursor.fail('found invalid Unicode character escape code');
  }
  cursor.at += codeLength;
  return String.fromCodePoint(point);
}

type Chomping = 'strip' | 'clip' | 'keep';

/** Scans a literal or folded block scalar. */
export function scanBlockScalar(cursor: Cursor, literal: boolean): Token {
  const { line } = cursor;
  cursor.at++;
  const { chomping, increment } = scanBlockHeader(cursor);
  let { breaks, indent } = skipBlockBreaks(cursor, increment === 0 ? 0 : Math.max(cursor.indent, 0) + increment);
  let text = '';
  let lineEnd = '';
  let wasBlank = false;
  while (cursor.column() === indent && cursor.unit() !== 0) {
    const blank = isBlank(cursor.unit());
    text += !literal && !wasBlank && !blank && lineEnd === '\n' ? foldBreaks(lineEnd, breaks) : lineEnd + breaks;
    wasBlank = blank;
    const content = cursor.at;
    cursor.skipLine();
    text += cursor.text.slice(content, cursor.at);
    lineEnd = cursor.unit() === 0 ? '' : cursor.readBreak();
    ({ breaks, indent } = skipBlockBreaks(cursor, indent));
  }
  if (chomping !== 'strip') text += lineEnd;
  if (chomping === 'keep') text += breaks;
  return { type: 'scalar', text, plain: false, line };
}

function scanBlockHeader(cursor: Cursor): { chomping: Chomping; increment: number } {
  let chomping = scanChomping(cursor);
  let increment = 0;
  if (isDigit(cursor.unit())) {
    increment = cursor.unit() - code.zero;
    if (increment === 0) cursor.fail('found an indentation indicator equal to 0');
    cursor.at++;
  }
  chomping ??= scanChomping(cursor);
  cursor.skipBlanks();
  cursor.skipComment();
  if (!isBreakOrEnd(cursor.unit())) cursor.fail('did not find expected comment or line break');
  if (cursor.unit() !== 0) cursor.skipBreak();
  return { chomping: chomping ?? 'clip', increment };
}

function scanChomping(cursor: Cursor): Chomping | undefined {
  const unit = cursor.unit();
  if (unit !== code.plus && unit !== code.minus) return undefined;
  cursor.at++;
  return unit === code.plus ? 'keep' : 'strip';
}

/**
 * Skips empty lines and the indentation of the next line, which is detected if it is not known yet
 * (0).
 */
function skipBlockBreaks(cursor: Cursor, known: number): { breaks: string; indent: number } {
  let breaks = '';
  let widest = 0;
  for (;;) {
    while ((known === 0 || cursor.column() < known) && cursor.unit() === code.space) cursor.at++;
    const column = cursor.column();
    widest = Math.max(widest, column);
    if ((known === 0 || column < known) && cursor.unit() === code.tab) {
      cursor.fail('found a tab character where an indentation space is expected');
    }
    if (!isBreak(cursor.unit())) break;
    breaks += cursor.readBreak();
  }
  return { breaks, indent: known === 0 ? Math.max(widest, cursor.indent + 1, 1) : known };
}
