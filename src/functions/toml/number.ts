import { parseFloat64, parseInteger } from '../../go/parse-number.ts';
import { quote, quoteRune } from '../../go/strconv.ts';
import { Time } from '../../go/time.ts';
import { parseTime } from '../../go/time-parse.ts';
import { fixedZone, type Zone } from '../../go/time-zone.ts';
import { GoError, int64, type Value } from '../../go/value.ts';
import type { TomlScanner } from './scanner.ts';

const digit = /[0-9]/;

const bases: ReadonlyMap<string, readonly [digits: RegExp, name: string]> = new Map([
  ['b', [/[01]/, 'a binary']],
  ['o', [/[0-7]/, 'an octal']],
  ['x', [/[0-9A-Fa-f]/, 'a hexadecimal']],
]);

/** Reads a number or a time, which starts with a digit. */
export function readNumberOrTime(scanner: TomlScanner, local: Zone): Value {
  const start = scanner.position;
  if (scanner.next() === '0') {
    const letter = scanner.next();
    const base = bases.get(letter);
    if (base !== undefined) return readBased(scanner, start, base);
    scanner.back();
  }
  scanner.takeWhile(digit);
  if (/[-:]/.test(scanner.peek())) {
    scanner.takeWhile(/[-0-9:Tt .Zz+]/);
    return timeOf(scanner, scanner.since(start).trim(), local);
  }
  return readDecimal(scanner, start);
}

/** Reads a number whose sign was read at `start`. */
export function readSigned(scanner: TomlScanner, start: number): Value {
  const first = scanner.next();
  if (first === 'i' || first === 'n') {
    const [second, third] = first === 'i' ? ['n', 'f'] : ['a', 'n'];
    if (!scanner.accept(second) || !scanner.accept(third)) scanner.fail(`invalid float: '${scanner.since(start)}'`);
    return floatOf(scanner, scanner.since(start));
  }
  if (first === '0' && bases.has(scanner.peek())) {
    scanner.fail(`cannot use sign with non-decimal numbers: '${scanner.since(start)}${scanner.peek()}'`);
  }
  if (first === '.') scanner.fail("floats must start with a digit, not '.'");
  if (!digit.test(first)) scanner.fail(`expected a digit but got ${quoteRune(first.codePointAt(0) ?? 0)}`);
  return readDecimal(scanner, start);
}

function readDecimal(scanner: TomlScanner, start: number): Value {
  scanner.takeWhile(/[0-9_]/);
  if (!/[.eE]/.test(scanner.peek())) return integerOf(scanner, scanner.since(start));
  scanner.takeWhile(/[0-9_.\-+eE]/);
  return floatOf(scanner, scanner.since(start));
}

function readBased(scanner: TomlScanner, start: number, [digits, name]: readonly [RegExp, string]): Value {
  const next = scanner.peek();
  if (!digits.test(next)) scanner.fail(`not ${name} number: '${scanner.since(start)}${next}'`);
  scanner.takeWhile(new RegExp(`${digits.source}|_`));
  return integerOf(scanner, scanner.since(start));
}

function integerOf(scanner: TomlScanner, text: string): Value {
  if (!underscoresOk(text)) {
    scanner.fail(`Invalid integer ${quote(text)}: underscores must be surrounded by digits`);
  }
  if (hasLeadingZero(text)) scanner.fail(`Invalid integer ${quote(text)}: cannot have leading zeroes`);
  const { value, error } = parseInteger(text, 0);
  if (error !== undefined) scanner.fail(`${text} is out of range for int64`);
  return int64(value);
}

/** Parses a float, including `inf` and `nan`. */
export function floatOf(scanner: TomlScanner, text: string): Value {
  const parts = text.split(/[.eE]/).filter((part) => part !== '');
  if (!parts.every(underscoresOk)) {
    scanner.fail(`Invalid float ${quote(text)}: underscores must be surrounded by digits`);
  }
  if (hasLeadingZero(parts[0] ?? '')) scanner.fail(`Invalid float ${quote(text)}: cannot have leading zeroes`);
  if (/\.(?![0-9])/.test(text)) {
    scanner.fail(`Invalid float ${quote(text)}: '.' must be followed by one or more digits`);
  }
  const { value, error } = parseFloat64(text.replaceAll('_', '').replace(/^[+-](?=nan$)/, ''));
  if (error?.endsWith('out of range')) scanner.fail(`${text} is out of range for float64`);
  if (error !== undefined) scanner.fail(`Invalid float value: ${quote(text)}`);
  return value;
}

function hasLeadingZero(text: string): boolean {
  return /^0[^box]/.test(text) || /^[+-]0./.test(text);
}

/** Reports whether each underscore is between two characters that can be digits. */
function underscoresOk(text: string): boolean {
  if (/^[+-]?(?:nan|inf)$/.test(text)) return true;
  return !/(?:^|[^0-9A-Fa-f])_/.test(text) && /[0-9A-Fa-f]$/.test(text);
}

const layouts: readonly (readonly [layout: string, zone: string | undefined])[] = [
  ['2006-01-02T15:04:05.999999999Z07:00', undefined],
  ['2006-01-02T15:04:05.999999999', 'datetime-local'],
  ['2006-01-02', 'date-local'],
  ['15:04:05.999999999', 'time-local'],
  ['2006-01-02T15:04Z07:00', undefined],
  ['2006-01-02T15:04', 'datetime-local'],
  ['15:04', 'time-local'],
];

/** Times without a zone get a zone of their own, so that they are encoded without one again. */
function timeOf(scanner: TomlScanner, given: string, local: Zone): Value {
  const text = given.replaceAll('z', 'Z').replaceAll(/[t ]/g, 'T');
  for (const [layout, zone] of layouts) {
    const own = zone === undefined ? local : fixedZone(zone, zone, local.at(0).offset);
    const parsed = parsedTime(layout, text, own, local);
    if (parsed === undefined) continue;
    if (!lacksLeadingZero(text, layout)) return parsed;
    break;
  }
  return scanner.fail(`invalid datetime: ${quote(text)}`);
}

function parsedTime(layout: string, text: string, zone: Zone, local: Zone): Time | undefined {
  try {
    const parsed = parseTime(layout, text, zone);
    return new Time(parsed.seconds * 1_000_000_000n + BigInt(parsed.nanoseconds), parsed.zone, local);
  } catch (error) {
    if (error instanceof GoError) return undefined;
    throw error;
  }
}

/** Go parses numbers without leading zeros; this also requires the separators of the layout. */
function lacksLeadingZero(text: string, layout: string): boolean {
  const fixed = /^[^.Z]*/.exec(layout)?.[0] ?? '';
  return Array.from(fixed).some((character, i) => !digit.test(character) && text[i] !== character);
}
