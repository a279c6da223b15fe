import type { Output } from './output.ts';

const breaks = /[\n\r\x85\u2028\u2029]/;
const breaksAll = new RegExp(breaks, 'g');
const plainCharacter = /[\x20\x21\x23-\x5b\x5d-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
const shortEscapes = new Map([
  ['\0', '0'],
  ['\x07', 'a'],
  ['\b', 'b'],
  ['\t', 't'],
  ['\n', 'n'],
  ['\v', 'v'],
  ['\f', 'f'],
  ['\r', 'r'],
  ['\x1b', 'e'],
  ['"', '"'],
  ['\\', '\\'],
  ['\x85', 'N'],
  ['\u2028', 'L'],
  ['\u2029', 'P'],
]);

/** Writes a plain scalar, folded at spaces beyond the width. */
export function writePlain(out: Output, text: string, fold: boolean): void {
  out.separate();
  writeFolded(out, text, fold, 0, text.length);
  out.endScalar();
}

/** Writes a single-quoted scalar, folded at spaces beyond the width. */
export function writeSingleQuoted(out: Output, text: string, fold: boolean): void {
  out.separate();
  out.put("'");
  const quoted = text.replaceAll("'", "''");
  if (breaks.test(quoted)) writeWithBreaks(out, quoted, fold);
  else writeFolded(out, quoted, fold, 1, quoted.length - 1);
  out.put("'");
  out.endScalar();
}

/**
 * Writes text without line breaks. A single space between `from` and `to` becomes a line break if
 * it is beyond the width.
 */
function writeFolded(out: Output, text: string, fold: boolean, from: number, to: number): void {
  if (!fold || out.column + text.length <= out.width) {
    out.put(text);
    return;
  }
  let start = 0;
  for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at)) {
    out.put(text.slice(start, at));
    start = at;
    const isSingle = text.charAt(at + 1) !== ' ';
    if (isSingle && at >= from && at < to && out.column > out.width) {
      out.breakLine();
      start = at + 1;
    }
    while (text.charAt(at) === ' ') at++;
  }
  out.put(text.slice(start));
}

/**
 * Writes single-quoted text that contains line or paragraph separators, which go-yaml keeps and
 * follows with indentation.
 */
function writeWithBreaks(out: Output, text: string, fold: boolean): void {
  let start = 0;
  for (const match of text.matchAll(breaksAll)) {
    writeFolded(out, text.slice(start, match.index), fold, start === 0 ? 1 : 0, text.length);
    out.putBreak(match[0]);
    start = match.index + 1;
    if (start < text.length && !breaks.test(text.charAt(start))) out.breakLine();
  }
  writeFolded(out, text.slice(start), fold, start === 0 ? 1 : 0, text.length - start - 1);
}

/**
 * Writes a double-quoted scalar. Like go-yaml, escapes every character of a text that starts with a
 * byte order mark.
 */
export function writeDoubleQuoted(out: Output, text: string, fold: boolean): void {
  out.separate();
  out.put('"');
  const escapeAll = text.startsWith('\ufeff');
  let afterSpace = false;
  let at = 0;
  for (const character of text) {
    const next = at + character.length;
    if (escapeAll || !plainCharacter.test(character) || character.length > 1) {
      out.put(escape(character));
      afterSpace = false;
    } else if (character === ' ') {
      if (fold && !afterSpace && out.column > out.width && at > 0 && next < text.length) {
        out.breakLine();
        if (text.charAt(next) === ' ') out.put('\\');
      } else out.put(' ');
      afterSpace = true;
    } else {
      out.put(character);
      afterSpace = false;
    }
    at = next;
  }
  out.put('"');
  out.endScalar();
}

function escape(character: string): string {
  const short = shortEscapes.get(character);
  if (short !== undefined) return `\\${short}`;
  const code = character.codePointAt(0) ?? 0;
  if (code === 0xa0) return '\\_';
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** Writes a literal block. */
export function writeLiteral(out: Output, text: string): void {
  out.separate();
  const indentHint = /^[ \n\u2028\u2029]/.test(text) ? '2' : '';
  const chomp = /^[\n\u2028\u2029]$|[\n\u2028\u2029]{2}$/.test(text) ? '+' : /[\n\u2028\u2029]$/.test(text) ? '' : '-';
  out.put(`|${indentHint}${chomp}`);
  out.literalLines(text);
}
