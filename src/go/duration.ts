import { runeText, toBytes } from './text.ts';
import { GoError, type GoFunction, GoObject, Int, int64 } from './value.ts';

const second = 1_000_000_000n;
const minute = 60n * second;
const hour = 60n * minute;
const maxInt64 = (1n << 63n) - 1n;
/** Number of digits of the largest int64. */
const maxDigits = 19;

const units: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', second],
  ['m', minute],
  ['h', hour],
]);

/**
 * Parses a duration such as `1h30m` or `-1.5s`, and returns nanoseconds. Throws the error of
 * `time.ParseDuration`.
 */
export function parseDuration(text: string): bigint {
  const negative = text.startsWith('-');
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return 0n;
  if (rest === '') throw invalid('invalid duration', text);
  let total = 0n;
  while (rest !== '') {
    const [matched = '', whole = '', fraction = '', unitName = ''] =
      /^(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?([^.0-9]*)/.exec(rest) ?? [];
    if (matched === '') throw invalid('invalid duration', text);
    if (unitName === '') throw invalid('missing unit in duration', text);
    const unit = units.get(unitName);
    if (unit === undefined) throw invalid(`unknown unit ${quoteForTime(unitName)} in duration`, text);
    const digits = whole.replace(/^0+/, '');
    if (digits.length > maxDigits) throw invalid('invalid duration', text);
    total += BigInt(digits || 0) * unit + fractionOf(fraction, unit);
    if (total > maxInt64 + 1n) throw invalid('invalid duration', text);
    rest = rest.slice(matched.length);
  }
  if (!negative && total > maxInt64) throw invalid('invalid duration', text);
  return negative ? -total : total;
}

/** Computes a fraction with floats, as Go does. */
function fractionOf(digits: string, unit: bigint): bigint {
  let [value, scale] = [0n, 1];
  for (const digit of digits) {
    if (value > maxInt64 / 10n) break;
    value = value * 10n + BigInt(digit);
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

function invalid(problem: string, text: string): GoError {
  return new GoError(`time: ${problem} ${quoteForTime(text)}`);
}

/** Quotes a string as package time does: control and non-ASCII bytes become `\x..`. */
export function quoteForTime(text: string): string {
  let quoted = '';
  for (const byte of toBytes(text)) {
    if (byte >= 0x80 || byte < 0x20) quoted += `\\x${byte.toString(16).padStart(2, '0')}`;
    else quoted += byte === 0x22 || byte === 0x5c ? `\\${runeText(byte)}` : runeText(byte);
  }
  return `"${quoted}"`;
}

/** Formats nanoseconds as `Duration.String` does: `1h0m0.5s`, `1.5ms`. */
export function formatDuration(nanoseconds: bigint): string {
  const sign = nanoseconds < 0n ? '-' : '';
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (size === 0n) return '0s';
  if (size < 1_000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 3)}µs`;
  if (size < second) return `${sign}${decimal(size, 6)}ms`;
  const seconds = `${decimal(size % minute, 9)}s`;
  if (size < minute) return sign + seconds;
  const minutes = `${(size % hour) / minute}m${seconds}`;
  return size < hour ? sign + minutes : `${sign}${size / hour}h${minutes}`;
}

function decimal(value: bigint, places: number): string {
  const scale = 10n ** BigInt(places);
  const fraction = (value % scale)
    .toString()
    .padStart(places, '0')
    .replace(/(?<!0)0+$/, '');
  return fraction === '' ? `${value / scale}` : `${value / scale}.${fraction}`;
}

/** `Duration.Round`: rounds to a multiple, half away from zero. */
export function roundDuration(nanoseconds: bigint, multiple: bigint): bigint {
  if (multiple <= 0n) return nanoseconds;
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const rest = size % multiple;
  const rounded = 2n * rest < multiple ? size - rest : size - rest + multiple;
  const signed = nanoseconds < 0n ? -rounded : rounded;
  return signed > maxInt64 ? maxInt64 : signed < -maxInt64 - 1n ? -maxInt64 - 1n : signed;
}

/** A `time.Duration`, in nanoseconds. */
export class Duration extends GoObject {
  readonly goType = 'time.Duration';
  readonly kind = 'int64';
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    super();
    this.nanoseconds = BigInt.asIntN(64, nanoseconds);
  }

  override underlying(): Int {
    return int64(this.nanoseconds);
  }

  override text(): string {
    return formatDuration(this.nanoseconds);
  }

  override method(name: string): GoFunction | undefined {
    return methods.get(name)?.(this.nanoseconds);
  }
}

/** Returns the nanoseconds of a duration argument. */
export function nanosecondsOf(duration: Duration | Int): bigint {
  return duration instanceof Int ? duration.value : duration.nanoseconds;
}

type Method = (nanoseconds: bigint) => GoFunction;

function wholeUnits(unit: bigint): Method {
  return (nanoseconds) => ({ params: [], call: () => int64(nanoseconds / unit) });
}

function floatUnits(unit: bigint): Method {
  return (nanoseconds) => ({
    params: [],
    call: () => Number(nanoseconds / unit) + Number(nanoseconds % unit) / Number(unit),
  });
}

function adjusted(adjust: (nanoseconds: bigint, multiple: bigint) => bigint): Method {
  return (nanoseconds) => ({
    params: ['time.Duration'],
    call: (multiple: Duration | Int) => new Duration(adjust(nanoseconds, nanosecondsOf(multiple))),
  });
}

const methods: ReadonlyMap<string, Method> = new Map([
  ['String', (nanoseconds) => ({ params: [], call: () => formatDuration(nanoseconds) })],
  ['Hours', floatUnits(hour)],
  ['Minutes', floatUnits(minute)],
  ['Seconds', floatUnits(second)],
  ['Milliseconds', wholeUnits(1_000_000n)],
  ['Microseconds', wholeUnits(1_000n)],
  ['Nanoseconds', wholeUnits(1n)],
  ['Round', adjusted(roundDuration)],
  [
    'Truncate',
    adjusted((nanoseconds, multiple) => (multiple <= 0n ? nanoseconds : nanoseconds - (nanoseconds % multiple))),
  ],
  [
    'Abs',
    (nanoseconds) => ({
      params: [],
      call: () => new Duration(nanoseconds >= 0n ? nanoseconds : -nanoseconds > maxInt64 ? maxInt64 : -nanoseconds),
    }),
  ],
]);
