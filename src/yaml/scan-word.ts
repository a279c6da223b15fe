import { fromBytes } from '../go/text.ts';
import { isBlank, isBlankOrEnd, isBreak, isBreakOrEnd, isDigit, isWord } from './character.ts';
import type { Scanner } from './scanner.ts';
import type { Token } from './token.ts';

function readWord(scanner: Scanner): string {
  const start = scanner.at;
  while (isWord(scanner.unit())) scanner.at++;
  return scanner.text.slice(start, scanner.at);
}

/** Scans the name of an anchor or alias. */
export function scanAnchor(scanner: Scanner, type: 'alias' | 'anchor'): Token {
  const { line } = scanner;
  scanner.at++;
  const name = readWord(scanner);
  if (name === '' || !(isBlankOrEnd(scanner.unit()) || '?:,]}%@`'.includes(scanner.text.charAt(scanner.at)))) {
    scanner.fail('did not find expected alphabetic or numeric character');
  }
  return { type, name, line };
}

/** Scans a tag: `!<uri>`, `!suffix` or `!handle!suffix`. */
export function scanTag(scanner: Scanner): Token {
  const { line } = scanner;
  const tag = scanner.unit(1) === 60 ? scanVerbatimTag(scanner) : scanShortTag(scanner);
  if (!isBlankOrEnd(scanner.unit())) scanner.fail('did not find expected whitespace or line break');
  return { type: 'tag', ...tag, line };
}

function scanVerbatimTag(scanner: Scanner): { handle: string; suffix: string } {
  scanner.at += 2;
  const suffix = readUri(scanner, '');
  if (scanner.unit() !== 62) scanner.fail("did not find the expected '>'");
  scanner.at++;
  return { handle: '', suffix };
}

function scanShortTag(scanner: Scanner): { handle: string; suffix: string } {
  const handle = readHandle(scanner, false);
  if (handle.length > 1 && handle.endsWith('!')) return { handle, suffix: readUri(scanner, '') };
  const suffix = readUri(scanner, handle);
  // `!` alone is a tag without a handle
  return suffix === '' ? { handle: '', suffix: '!' } : { handle: '!', suffix };
}

function readHandle(scanner: Scanner, inDirective: boolean): string {
  if (scanner.unit() !== 33) scanner.fail("did not find expected '!'");
  scanner.at++;
  const word = readWord(scanner);
  if (scanner.unit() === 33) {
    scanner.at++;
    return `!${word}!`;
  }
  if (inDirective && word !== '') scanner.fail("did not find expected '!'");
  return `!${word}`;
}

/** Reads the rest of a tag; `head` is what was taken for a handle and is none. */
function readUri(scanner: Scanner, head: string): string {
  let text = head.slice(1);
  const start = scanner.at;
  for (;;) {
    const unit = scanner.unit();
    if (unit === 37) text += readEscapes(scanner);
    else if (isWord(unit) || (unit !== 0 && ";/?:@&=+$,.!~*'()[]".includes(String.fromCharCode(unit)))) {
      text += String.fromCharCode(unit);
      scanner.at++;
    } else break;
  }
  if (head === '' && scanner.at === start) scanner.fail('did not find expected tag URI');
  return text;
}

/** Reads one character of escaped octets. */
function readEscapes(scanner: Scanner): string {
  const octets: number[] = [];
  let size = 1;
  while (octets.length < size) {
    const digits = /^%([0-9a-fA-F]{2})$/.exec(scanner.text.slice(scanner.at, scanner.at + 3))?.[1];
    if (digits === undefined) scanner.fail('did not find URI escaped octet');
    const octet = parseInt(digits, 16);
    if (octets.length === 0) {
      size = octet < 0x80 ? 1 : octet >> 5 === 6 ? 2 : octet >> 4 === 14 ? 3 : octet >> 3 === 30 ? 4 : 0;
      if (size === 0) scanner.fail('found an incorrect leading UTF-8 octet');
    } else if (octet >> 6 !== 2) scanner.fail('found an incorrect trailing UTF-8 octet');
    octets.push(octet);
    scanner.at += 3;
  }
  return fromBytes(Uint8Array.from(octets));
}

type DirectiveValue = { type: 'version'; version: string } | { type: 'tag-directive'; handle: string; prefix: string };

/** Scans a line that starts with a percent sign. */
export function scanDirective(scanner: Scanner): Token {
  const { line } = scanner;
  scanner.at++;
  const name = readWord(scanner);
  if (name === '') scanner.fail('could not find expected directive name');
  if (!isBlankOrEnd(scanner.unit())) scanner.fail('found unexpected non-alphabetical character');
  const token = { ...scanDirectiveValue(scanner, name), line };
  scanner.skipBlanks();
  scanner.skipComment();
  if (!isBreakOrEnd(scanner.unit())) scanner.fail('did not find expected comment or line break');
  if (isBreak(scanner.unit())) scanner.skipBreak();
  return token;
}

function scanDirectiveValue(scanner: Scanner, name: string): DirectiveValue {
  switch (name) {
    case 'YAML': {
      scanner.skipBlanks();
      const major = readVersionNumber(scanner);
      if (scanner.unit() !== 46) scanner.fail("did not find expected digit or '.' character");
      scanner.at++;
      return { type: 'version', version: `${major}.${readVersionNumber(scanner)}` };
    }
    case 'TAG': {
      scanner.skipBlanks();
      const handle = readHandle(scanner, true);
      if (!isBlank(scanner.unit())) scanner.fail('did not find expected whitespace');
      scanner.skipBlanks();
      const prefix = readUri(scanner, '');
      if (!isBlankOrEnd(scanner.unit())) scanner.fail('did not find expected whitespace or line break');
      return { type: 'tag-directive', handle, prefix };
    }
    default:
      return scanner.fail('found unknown directive name');
  }
}

function readVersionNumber(scanner: Scanner): number {
  const start = scanner.at;
  while (isDigit(scanner.unit())) {
    if (scanner.at - start === 2) scanner.fail('found extremely long version number');
    scanner.at++;
  }
  if (scanner.at === start) scanner.fail('did not find expected version number');
  return Number(scanner.text.slice(start, scanner.at));
}
