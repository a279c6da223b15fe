import { quote } from '../../go/strconv.ts';
import { end, type TomlScanner } from './scanner.ts';

const lineEnd = /[\r\n]/;

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['t', '\t'],
  ['n', '\n'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  ['"', '"'],
  ['\\', '\\'],
]);

/** Number of digits of each escape, as a number and as errors spell it. */
const hexEscapes: ReadonlyMap<string, readonly [number, string]> = new Map([
  ['x', [2, 'two']],
  ['u', [4, 'four']],
  ['U', [8, 'eight']],
]);

/** Reads a string of any of the four kinds, after its first quote. */
export function readString(scanner: TomlScanner, mark: string): string {
  if (scanner.accept(mark)) {
    if (scanner.accept(mark)) return readMultiline(scanner, mark);
    scanner.back();
  }
  return readOneLine(scanner, mark);
}

/** Reads a single-line string, such as a quoted key, after its first quote. */
export function readOneLine(scanner: TomlScanner, mark: string): string {
  const start = scanner.position;
  for (;;) {
    const character = scanner.next();
    if (character === end) scanner.fail(`unexpected EOF; expected ${mark === '"' ? `'"'` : `"'"`}`);
    if (lineEnd.test(character)) scanner.failOnPreviousLine('strings cannot contain newlines');
    if (character === '\\' && mark === '"') checkEscape(scanner, start);
    if (character === mark) break;
  }
  const content = scanner.since(start).slice(0, -1);
  return mark === '"' ? replaceEscapes(scanner, content) : content;
}

function readMultiline(scanner: TomlScanner, mark: string): string {
  const start = scanner.position;
  const three = mark.repeat(3);
  for (;;) {
    const character = scanner.next();
    if (character === end) scanner.fail(`unexpected EOF; expected ${mark === '"' ? `'${three}'` : `"${three}"`}`);
    if (character === '\\' && mark === '"') {
      if (!lineEnd.test(scanner.peek())) checkEscape(scanner, start);
    } else if (character === mark && closes(scanner, mark, start)) {
      break;
    }
  }
  const content = scanner
    .since(start)
    .slice(0, -3)
    .replace(/^\r?\n/, '');
  return mark === '"' ? replaceEscapes(scanner, joinLines(content)) : content;
}

/**
 * Reports whether the quote just read starts the three closing ones. Up to two more quotes belong
 * to the string.
 */
function closes(scanner: TomlScanner, mark: string, start: number): boolean {
  if (!scanner.accept(mark)) return false;
  if (!scanner.accept(mark)) {
    scanner.back();
    return false;
  }
  if (scanner.peek() !== mark) return true;
  const current = scanner.since(start);
  const five = mark.repeat(5);
  if (current.endsWith(five) && !(mark === '"' && current.endsWith(`\\${five}`))) {
    scanner.fail(`unexpected ${mark === '"' ? `'""""""'` : `"''''''"`}`);
  }
  scanner.back();
  scanner.back();
  return false;
}

/** Checks an escape in a string that started at `start`, after the backslash. */
function checkEscape(scanner: TomlScanner, start: number): void {
  const letter = scanner.next();
  if (simpleEscapes.has(letter) || letter === ' ' || letter === '\t') return;
  const hex = hexEscapes.get(letter);
  const problem = `invalid escape in string '\\${letter}'`;
  if (hex === undefined) return letter === end ? scanner.failOnPreviousLine(problem) : scanner.fail(problem);
  const [count, name] = hex;
  for (let i = 0; i < count; i++) {
    if (/[0-9A-Fa-f]/.test(scanner.next())) continue;
    const content = quote(scanner.since(start));
    scanner.fail(`expected ${name} hexadecimal digits after '\\${letter}', but got ${content} instead`);
  }
}

/** A backslash at the end of a line removes the line break and the white space after it. */
function joinLines(content: string): string {
  return content.replaceAll(/\\\\|\\[ \t\r\n]+/g, (match) => (match !== '\\\\' && match.includes('\n') ? '' : match));
}

function replaceEscapes(scanner: TomlScanner, content: string): string {
  return content.replaceAll(
    /\\(?:x(..)|u(.{4})|U(.{8})|([^]))/g,
    (_, two?: string, four?: string, eight?: string, letter: string = '') => {
      const digits = two ?? four ?? eight;
      if (digits === undefined) return simpleEscapes.get(letter) ?? scanner.fail(`invalid escape: '\\${letter}'`);
      const point = Number.parseInt(digits, 16);
      if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) {
        scanner.fail(`Escaped character '\\u${digits}' is not valid UTF-8.`);
      }
      return String.fromCodePoint(point);
    },
  );
}
