import { formatFloat } from './float.ts';
import { type Flags, noFlags } from './fmt-flags.ts';
import { formatArgument } from './fmt-value.ts';
import { GoObject, Int, type Value } from './value.ts';

/** Formats a value as `%v` does. */
export function format(value: Value): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return formatFloat(value, 'g', -1);
    case 'boolean':
      return value ? 'true' : 'false';
    default:
      if (value === null) return '<nil>';
      if (value instanceof Int) return value.value.toString();
      return formatArgument(value, 'v', noFlags());
  }
}

/**
 * `fmt.Sprint`: adds a space between two values if neither is a string.
 * @param show Formats one value. Default: {@link format}.
 */
export function sprint(values: readonly Value[], show = format): string {
  let text = '';
  let afterString = true;
  for (const value of values) {
    const isString = typeof value === 'string' || (value instanceof GoObject && value.kind === 'string');
    if (!isString && !afterString) text += ' ';
    text += show(value);
    afterString = isString;
  }
  return text;
}

/** `fmt.Sprintln`: adds spaces between all values, and a newline at the end. */
export function sprintln(values: readonly Value[]): string {
  return `${values.map(format).join(' ')}\n`;
}

/**
 * `fmt.Sprintf`, with Go's error marks such as `%!d(string=x)` if format and values do not match.
 */
export function sprintf(format: string, values: readonly Value[]): string {
  const state: State = { format, values, at: 0, next: 0, reordered: false, goodIndex: true, afterIndex: false };
  let text = '';
  while (state.at < format.length) {
    const percent = format.indexOf('%', state.at);
    if (percent < 0) {
      text += format.slice(state.at);
      break;
    }
    text += format.slice(state.at, percent);
    state.at = percent + 1;
    text += directive(state);
  }
  return text + extraValues(state);
}

/** Position of `sprintf` in its format and values. */
interface State {
  readonly format: string;
  readonly values: readonly Value[];
  /** Offset in the format. */
  at: number;
  /** Index of the value for the next verb. */
  next: number;
  /** Whether an index such as `%[2]d` was used; if so, unused values are not an error. */
  reordered: boolean;
  goodIndex: boolean;
  afterIndex: boolean;
}

const maxNumber = 1_000_000;

function directive(state: State): string {
  const flags = noFlags();
  state.goodIndex = true;
  readFlags(state, flags);
  const simple = simpleVerb(state);
  if (simple !== undefined) return formatNext(state, simple, flags);
  readIndex(state);
  const errors = readWidth(state, flags) + readPrecision(state, flags);
  if (!state.afterIndex) readIndex(state);
  return errors + finish(state, flags);
}

function readFlags(state: State, flags: Flags): void {
  for (; state.at < state.format.length; state.at++) {
    switch (state.format[state.at]) {
      case '#':
        flags.sharp = true;
        break;
      case '0':
        flags.zero = true;
        break;
      case '+':
        flags.plus = true;
        break;
      case '-':
        flags.minus = true;
        break;
      case ' ':
        flags.space = true;
        break;
      default:
        return;
    }
  }
}

/** Reads a lower-case verb directly after the flags, if there is a value for it. */
function simpleVerb(state: State): string | undefined {
  const verb = state.format.charAt(state.at);
  if (verb < 'a' || verb > 'z' || state.next >= state.values.length) return undefined;
  state.at++;
  return verb;
}

function formatNext(state: State, verb: string, flags: Flags): string {
  if (verb === 'v' || verb === 'w') {
    flags.sharpV = flags.sharp;
    flags.sharp = false;
    flags.plusV = flags.plus;
    flags.plus = false;
  }
  const value = state.values[state.next] ?? null;
  state.next++;
  return formatArgument(value, verb, flags);
}

/** Reads `[n]`: the number of the next value, from 1. */
function readIndex(state: State): void {
  const { format, at } = state;
  state.afterIndex = false;
  if (format[at] !== '[') return;
  state.reordered = true;
  const end = format.length - at < 3 ? -1 : format.indexOf(']', at + 1);
  if (end < 0) {
    state.goodIndex = false;
    state.at = at + 1;
    return;
  }
  state.at = end + 1;
  const digits = format.slice(at + 1, end);
  if (!/^[0-9]+$/.test(digits) || isTooLong(digits)) {
    state.goodIndex = false;
    return;
  }
  const index = Number(digits) - 1;
  state.afterIndex = true;
  if (index >= 0 && index < state.values.length) state.next = index;
  else state.goodIndex = false;
}

/** Go stops reading a number once it exceeds a million. */
function isTooLong(digits: string): boolean {
  return Number(digits.slice(0, -1)) > maxNumber;
}

function readWidth(state: State, flags: Flags): string {
  if (state.format[state.at] !== '*') {
    const width = readNumber(state);
    if (width === undefined) return '';
    if (state.afterIndex) state.goodIndex = false;
    flags.width = width;
    return '';
  }
  state.at++;
  state.afterIndex = false;
  const width = takeInteger(state);
  if (width === undefined) return '%!(BADWIDTH)';
  flags.width = Math.abs(width);
  if (width < 0) {
    flags.minus = true;
    flags.zero = false;
  }
  return '';
}

function readPrecision(state: State, flags: Flags): string {
  if (state.at + 1 >= state.format.length || state.format[state.at] !== '.') return '';
  state.at++;
  if (state.afterIndex) state.goodIndex = false;
  readIndex(state);
  if (state.format[state.at] !== '*') {
    flags.precision = readNumber(state) ?? 0;
    return '';
  }
  state.at++;
  state.afterIndex = false;
  const precision = takeInteger(state);
  if (precision === undefined || precision < 0) return '%!(BADPREC)';
  flags.precision = precision;
  return '';
}

/**
 * Reads a number; returns undefined if there is none. A number that is too large consumes the rest
 * of the format.
 */
function readNumber(state: State): number | undefined {
  const start = state.at;
  let number = 0;
  for (; state.at < state.format.length; state.at++) {
    const digit = state.format.charCodeAt(state.at) - 0x30;
    if (digit < 0 || digit > 9) break;
    if (number > maxNumber) {
      state.at = state.format.length;
      return undefined;
    }
    number = number * 10 + digit;
  }
  return state.at > start ? number : undefined;
}

/** Takes the next value as a width or precision, for `*`. */
function takeInteger(state: State): number | undefined {
  if (state.next >= state.values.length) return undefined;
  const value = state.values[state.next] ?? null;
  state.next++;
  const underlying = value instanceof GoObject ? value.underlying() : value;
  if (!(underlying instanceof Int)) return undefined;
  const number = Number(underlying.value);
  return Math.abs(number) > maxNumber ? undefined : number;
}

function finish(state: State, flags: Flags): string {
  const point = state.format.codePointAt(state.at);
  if (point === undefined) return '%!(NOVERB)';
  const character = String.fromCodePoint(point);
  state.at += character.length;
  const verb = character.isWellFormed() ? character : '\ufffd';
  if (verb === '%') return '%';
  if (!state.goodIndex) return `%!${verb}(BADINDEX)`;
  if (state.next >= state.values.length) return `%!${verb}(MISSING)`;
  return formatNext(state, verb, flags);
}

function extraValues({ reordered, next, values }: State): string {
  if (reordered || next >= values.length) return '';
  const extra = values.slice(next).map((value) => {
    return value === null ? '<nil>' : `${formatArgument(value, 'T', noFlags())}=${format(value)}`;
  });
  return `%!(EXTRA ${extra.join(', ')})`;
}
