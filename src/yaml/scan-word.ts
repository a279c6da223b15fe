import { fromBytes } from '../go/text.ts';
import { code, isBlank, isBlankOrEnd, isBreak, isBreakOrEnd, isDigit, isWord } from './character.ts';
import type { Cursor } from './cursor.ts';
import type { Token } from './token.ts';

function readWord(cursor: Cursor): string {
  const start = cursor.at;
  while (isWord(cursor.unit())) cursor.at++;
  return cursor.text.slice(start, cursor.at);
}

/** Scans an anchor: `&name`. */
export function scanAnchor(cursor: Cursor): Token {
  return scanAnchorName(cursor, 'anchor');
}

/** Scans an alias: `*name`. */
export function scanAlias(cursor: Cursor): Token {
  return scanAnchorName(cursor, 'alias');
}

function scanAnchorName(cursor: Cursor, type: 'alias' | 'anchor'): Token {
  const { line } = cursor;
  cursor.at++;
  const name = readWord(cursor);
  if (name === '' || !(isBlankOrEnd(cursor.unit()) || '?:,]}%@`'.includes(cursor.text.charAt(cursor.at)))) {
    cursor.fail('did not find expected alphabetic or numeric character');
  }
  return { type, name, line };
}

/** Scans a tag: `!<uri>`, `!suffix` or `!handle!suffix`. */
export function scanTag(cursor: Cursor): Token {
  const { line } = cursor;
  const tag = cursor.unit(1) === code.less ? scanVerbatimTag(cursor) : scanShortTag(cursor);
  if (!isBlankOrEnd(cursor.unit())) cursor.fail('did not find expected whitespace or line break');
  return { type: 'tag', ...tag, line };
}

function scanVerbatimTag(cursor: Cursor): { handle: string; suffix: string } {
  cursor.at += 2;
  const suffix = readUri(cursor, '');
  if (cursor.unit() !== code.greater) cursor.fail("did not find the expected '>'");
  cursor.at++;
  return { handle: '', suffix };
}

function scanShortTag(cursor: Cursor): { handle: string; suffix: string } {
  const handle = readHandle(cursor, false);
  if (handle.length > 1 && handle.endsWith('!')) return { handle, suffix: readUri(cursor, '') };
  const suffix = readUri(cursor, handle);
  // `!` alone is a tag without a handle
  return suffix === '' ? { handle: '', suffix: '!' } : { handle: '!', suffix };
}

function readHandle(cursor: Cursor, inDirective: boolean): string {
  if (cursor.unit() !== code.exclamationMark) cursor.fail("did not find expected '!'");
  cursor.at++;
  const word = readWord(cursor);
  if (cursor.unit() === code.exclamationMark) {
    cursor.at++;
    return `!${word}!`;
  }
  if (inDirective && word !== '') cursor.fail("did not find expected '!'");
  return `!${word}`;
}

/**
 * Reads the rest of a tag. `head` is text that was read as a handle but turned out not to be one.
 */
function readUri(cursor: Cursor, head: string): string {
  let text = head.slice(1);
  const start = cursor.at;
  for (;;) {
    const unit = cursor.unit();
    if (unit === code.percent) text += readEscapes(cursor);
    else if (isWord(unit) || (unit !== 0 && ";/?:@&=+$,.!~*'()[]".includes(String.fromCharCode(unit)))) {
      text += String.fromCharCode(unit);
      cursor.at++;
    } else break;
  }
  if (head === '' && cursor.at === start) cursor.fail('did not find expected tag URI');
  return text;
}

/** Reads one character of percent-encoded octets. */
function readEscapes(cursor: Cursor): string {
  const octets: number[] = [];
  let size = 1;
  while (octets.length < size) {
    const digits = /^%([0-9a-fA-F]{2})$/.exec(cursor.text.slice(cursor.at, cursor.at + 3))?.[1];
    if (digits === undefined) cursor.fail('did not find URI escaped octet');
    const octet = parseInt(digits, 16);
    if (octets.length === 0) {
      size = octet < 0x80 ? 1 : octet >> 5 === 6 ? 2 : octet >> 4 === 14 ? 3 : octet >> 3 === 30 ? 4 : 0;
      if (size === 0) cursor.fail('found an incorrect leading UTF-8 octet');
    } else if (octet >> 6 !== 2) cursor.fail('found an incorrect trailing UTF-8 octet');
    octets.push(octet);
    cursor.at += 3;
  }
  return fromBytes(Uint8Array.from(octets));
}

type DirectiveValue = { type: 'version'; version: string } | { type: 'tag-directive'; handle: string; prefix: string };

/** Scans a line that starts with a percent sign. */
export function scanDirective(cursor: Cursor): Token {
  const { line } = cursor;
  cursor.at++;
  const name = readWord(cursor);
  if (name === '') cursor.fail('could not find expected directive name');
  if (!isBlankOrEnd(cursor.unit())) cursor.fail('found unexpected non-alphabetical character');
  const token = { ...scanDirectiveValue(cursor, name), line };
  cursor.skipBlanks();
  cursor.skipComment();
  if (!isBreakOrEnd(cursor.unit())) cursor.fail('did not find expected comment or line break');
  if (isBreak(cursor.unit())) cursor.skipBreak();
  return token;
}

function scanDirectiveValue(cursor: Cursor, name: string): DirectiveValue {
  switch (name) {
    case 'YAML': {
      cursor.skipBlanks();
      const major = readVersionNumber(cursor);
      if (cursor.unit() !== code.dot) cursor.fail("did not find expected digit or '.' character");
      cursor.at++;
      return { type: 'version', version: `${major}.${readVersionNumber(cursor)}` };
    }
    case 'TAG': {
      cursor.skipBlanks();
      const handle = readHandle(cursor, true);
      if (!isBlank(cursor.unit())) cursor.fail('did not find expected whitespace');
      cursor.skipBlanks();
      const prefix = readUri(cursor, '');
      if (!isBlankOrEnd(cursor.unit())) cursor.fail('did not find expected whitespace or line break');
      return { type: 'tag-directive', handle, prefix };
    }
    default:
      return cursor.fail('found unknown directive name');
  }
}

function readVersionNumber(cursor: Cursor): number {
  const start = cursor.at;
  while (isDigit(cursor.unit())) {
    if (cursor.at - start === 2) cursor.fail('found extremely long version number');
    cursor.at++;
  }
  if (cursor.at === start) cursor.fail('did not find expected version number');
  return Number(cursor.text.slice(start, cursor.at));
}
