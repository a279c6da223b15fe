import { decodeJsonAt } from '../../go/json-decode.ts';
import { isSpace } from '../../go/space.ts';
import { GoError, int64, type Value, type ValueMap } from '../../go/value.ts';
import { readAssignments, type ReadValue, StrvalsError } from './assignments.ts';
import { Scanner } from './scanner.ts';

/** Applies a `--set` argument to `target`: `a.b=1,c[0]=x,d={x,y}`. Throws {@link StrvalsError}. */
export function setValues(line: string, target: ValueMap): void {
  setText(line, target, typedValue);
}

/** Like {@link setValues}, for `--set-string`: every value is a string. */
export function setStrings(line: string, target: ValueMap): void {
  setText(line, target, (text) => text);
}

/**
 * Like {@link setValues}, for `--set-file`: calls `read` with each value, which is the path of a
 * file.
 */
export function setFiles(line: string, target: ValueMap, read: (path: string) => string): void {
  setText(line, target, read);
}

/** Like {@link setValues}, for `--set-literal`: everything after the first `=` is the value. */
export function setLiteral(line: string, target: ValueMap): void {
  readAssignments(new Scanner(line), target, {
    commas: false,
    quoting: false,
    readValue: (scanner) => ({ value: scanner.until('', false).text, ended: false }),
  });
}

/**
 * Like {@link setValues}, for `--set-json`: `a=[1,2],b={"c": 3}`. Every value is JSON; an empty one
 * is null.
 */
export function setJson(line: string, target: ValueMap): void {
  readAssignments(new Scanner(line), target, { commas: true, quoting: true, readValue: readJson });
}

function setText(line: string, target: ValueMap, convert: (text: string) => Value): void {
  readAssignments(new Scanner(line), target, {
    commas: true,
    quoting: true,
    readValue: (scanner) => readText(scanner, convert),
  });
}

function readText(scanner: Scanner, convert: (text: string) => Value): ReadValue {
  const first = scanner.peek();
  if (first === undefined) return { value: '', ended: true };
  if (first === '{') return { value: readList(scanner, convert), ended: false };
  return { value: convert(scanner.until(',', true).text), ended: false };
}

function readList(scanner: Scanner, convert: (text: string) => Value): Value[] {
  const list: Value[] = [];
  scanner.read();
  for (;;) {
    const { text, stop } = scanner.until(',}', true);
    if (stop === undefined) throw new StrvalsError("list must terminate with '}'");
    list.push(convert(text));
    if (stop === '}') break;
  }
  if (scanner.peek() === ',') scanner.read();
  return list;
}

function readJson(scanner: Scanner): ReadValue {
  if (skipBlanks(scanner)) return { value: null, ended: false };
  const value = scanner.readWith(jsonPrefix);
  skipBlanks(scanner);
  return { value, ended: false };
}

function jsonPrefix(text: string, start: number): { value: Value; end: number } {
  try {
    return decodeJsonAt(text, start);
  } catch (error) {
    throw error instanceof GoError ? new StrvalsError(error.message, { cause: error }) : error;
  }
}

/**
 * Skips blanks and a comma after them. Returns false if there was other text before the comma or
 * the end.
 */
function skipBlanks(scanner: Scanner): boolean {
  for (;;) {
    const rune = scanner.peek();
    if (rune === undefined) return true;
    if (rune !== ',' && !isSpace(rune)) return false;
    scanner.read();
    if (rune === ',') return true;
  }
}

/**
 * Converts a text to a boolean, null or int64 (a whole number without leading zero) if it is one.
 */
function typedValue(text: string): Value {
  switch (text.toLowerCase()) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'null':
      return null;
    case '0':
      return int64(0);
  }
  if (!/^[+-]?[0-9]+$/.test(text) || text.startsWith('0')) return text;
  // more digits are not even converted: it takes more than linear time
  if (text.replace(/^[+-]?0*/, '').length > 19) return text;
  const number = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(64, number) === number ? int64(number) : text;
}
