/**
 * Where js-yaml, which reads YAML 1.2, and go-yaml, which reads 1.1, differ about white space: lines inside brackets or quotes may
 * start in any column for go-yaml, and a tab may not start a line or follow a dash.
 */
export interface Layout {
  /** For each line that starts inside brackets or quotes, by its offset, the column that js-yaml wants it to start at. */
  readonly margins: ReadonlyMap<number, number>;
  /** The line, from 1, of the first tab that go-yaml refuses. */
  readonly strayTab: number | undefined;
}

interface Scan {
  readonly source: string;
  readonly margins: Map<number, number>;
  strayTab: number | undefined;
  at: number;
  lineStart: number;
  /** The column of the innermost entry on the current line. */
  column: number;
  /** Whether the last thing seen is a plain scalar, which may go on after a line break; then the column it needs. */
  plainColumn: number | undefined;
}

/** Looks over a text that js-yaml has trouble with, or that has tabs at the start of lines. */
export function scanLayout(source: string): Layout {
  const scan: Scan = {
    source,
    margins: new Map(),
    strayTab: undefined,
    at: 0,
    lineStart: 0,
    column: 0,
    plainColumn: undefined,
  };
  while (scan.at < source.length) scanLine(scan);
  return scan;
}

function scanLine(scan: Scan): void {
  scan.lineStart = scan.at;
  skipSpaces(scan);
  scan.column = scan.at - scan.lineStart;
  if (peek(scan) === '\t') {
    if (scan.plainColumn === undefined || scan.column < scan.plainColumn) noteTab(scan);
    skipBlanks(scan);
  }
  if (!atLineEnd(scan) && peek(scan) !== '#') {
    scan.plainColumn = undefined;
    scanEntry(scan);
  }
  if (peek(scan) === '#') scan.plainColumn = undefined;
  skipLine(scan);
}

/** Scans what starts an entry: dashes, tags, anchors, then a key or a value. */
function scanEntry(scan: Scan): void {
  for (;;) {
    const character = peek(scan);
    if (atLineEnd(scan) || character === '#') return;
    if ((character === '-' || character === '?') && /[ \t\r\n]|^$/.test(peek(scan, 1))) {
      scan.column = scan.at - scan.lineStart;
      scan.at++;
      skipSpaces(scan);
      if (peek(scan) === '\t') noteTab(scan);
      skipBlanks(scan);
    } else if (character === '!' || character === '&') {
      skipWord(scan);
    } else if (character === '|' || character === '>') {
      skipBlockScalar(scan);
      return;
    } else {
      const start = scan.at - scan.lineStart;
      if (!scanToValue(scan, character)) return;
      scan.column = start;
      skipBlanks(scan);
    }
  }
}

/** Scans a key or a value; whether it was a key, so that its value follows on the line. */
function scanToValue(scan: Scan, first: string): boolean {
  if (first === '"' || first === "'") skipQuoted(scan, first);
  else if (first === '[' || first === '{') skipFlow(scan);
  const plain = scan.at;
  while (!atLineEnd(scan)) {
    const character = peek(scan);
    if (character === ':' && /[ \t\r\n]|^$/.test(peek(scan, 1))) {
      scan.at++;
      return true;
    }
    if (character === '#' && /[ \t]/.test(scan.source.charAt(scan.at - 1))) return false;
    scan.at++;
  }
  if (scan.source.slice(plain, scan.at).trim() !== '') scan.plainColumn = scan.column + 1;
  return false;
}

function skipQuoted(scan: Scan, quote: string): void {
  scan.at++;
  while (scan.at < scan.source.length) {
    const character = peek(scan);
    if (character === '\\' && quote === '"' && !/[\r\n]/.test(peek(scan, 1))) scan.at += 2;
    else if (character === quote && quote === "'" && peek(scan, 1) === quote) scan.at += 2;
    else if (character === '\n') innerLine(scan);
    else {
      scan.at++;
      if (character === quote) return;
    }
  }
}

function skipFlow(scan: Scan): void {
  let depth = 0;
  let previous = '';
  while (scan.at < scan.source.length) {
    const character = peek(scan);
    if ((character === '"' || character === "'") && !/[\w.]/.test(previous)) skipQuoted(scan, character);
    else if (character === '#' && /[\s,[{]/.test(previous)) skipToLineEnd(scan);
    else if (character === '\n') innerLine(scan);
    else {
      scan.at++;
      if (character === '[' || character === '{') depth++;
      else if ((character === ']' || character === '}') && --depth === 0) return;
    }
    previous = character;
  }
}

/** Goes over a line break inside brackets or quotes. */
function innerLine(scan: Scan): void {
  scan.at++;
  scan.lineStart = scan.at;
  scan.margins.set(scan.at, scan.column + 1);
}

function skipBlockScalar(scan: Scan): void {
  const parent = scan.column;
  const isRoot = scan.at === scan.lineStart;
  skipLine(scan);
  while (scan.at < scan.source.length) {
    const rest = /^ */.exec(scan.source.slice(scan.at, scan.at + parent + 2))?.[0].length ?? 0;
    const next = peek(scan, rest);
    if (rest <= parent && !isRoot && next !== '\n' && next !== '\r' && next !== '') break;
    skipLine(scan);
  }
  // the caller goes on to the end of a line
  if (scan.at > 0) scan.at--;
}

function noteTab(scan: Scan): void {
  scan.strayTab ??= scan.source.slice(0, scan.at).split('\n').length;
}

function peek(scan: Scan, ahead = 0): string {
  return scan.source.charAt(scan.at + ahead);
}

function atLineEnd(scan: Scan): boolean {
  return /^[\r\n]?$/.test(peek(scan));
}

function skipSpaces(scan: Scan): void {
  while (peek(scan) === ' ') scan.at++;
}

function skipBlanks(scan: Scan): void {
  while (peek(scan) === ' ' || peek(scan) === '\t') scan.at++;
}

function skipWord(scan: Scan): void {
  while (!/^[\s,]?$/.test(peek(scan))) scan.at++;
  skipBlanks(scan);
}

function skipToLineEnd(scan: Scan): void {
  const end = scan.source.indexOf('\n', scan.at);
  scan.at = end < 0 ? scan.source.length : end;
}

function skipLine(scan: Scan): void {
  skipToLineEnd(scan);
  scan.at++;
}

/** The text with every line inside brackets or quotes moved to where js-yaml wants it; white space there means nothing. */
export function indentInnerLines(source: string, margins: Layout['margins']): string {
  let text = '';
  let from = 0;
  for (const [lineStart, margin] of margins) {
    text += source.slice(from, lineStart) + ' '.repeat(margin);
    from = lineStart;
  }
  return text + source.slice(from);
}
