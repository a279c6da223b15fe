import { type FloatFormat, formatFloat } from './float.ts';
import { isPrint } from './printable.ts';
import { canBackquote, quote, quoteRune, quoteRuneToAscii, quoteToAscii } from './strconv.ts';
import { normalize, runeCount, runeText, toBytes } from './text.ts';

/** Flags, width and precision between `%` and the verb. */
export interface Flags {
  /** 0 if absent. */
  width: number;
  /** -1 if absent. */
  precision: number;
  minus: boolean;
  plus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  /** `%+v`: structs with field names. */
  plusV: boolean;
  /** `%#v`: Go syntax. */
  sharpV: boolean;
}

/** Returns flags with nothing set. */
export function noFlags(): Flags {
  return {
    width: 0,
    precision: -1,
    minus: false,
    plus: false,
    sharp: false,
    space: false,
    zero: false,
    plusV: false,
    sharpV: false,
  };
}

/** Pads a text to the width. */
export function pad(text: string, flags: Flags): string {
  if (flags.width === 0) return text;
  const missing = flags.width - runeCount(text);
  if (missing <= 0) return text;
  return flags.minus ? text + ' '.repeat(missing) : (flags.zero ? '0' : ' ').repeat(missing) + text;
}

function padWithSpaces(text: string, flags: Flags): string {
  return pad(text, flags.zero ? { ...flags, zero: false } : flags);
}

/** `%s`. */
export function formatString(text: string, flags: Flags): string {
  return pad(truncate(text, flags), flags);
}

/** `%q` of a string. */
export function formatQuoted(text: string, flags: Flags): string {
  const shown = truncate(text, flags);
  if (flags.sharp && canBackquote(shown)) return pad(`\`${shown}\``, flags);
  return pad(flags.plus ? quoteToAscii(shown) : quote(shown), flags);
}

function truncate(text: string, flags: Flags): string {
  if (flags.precision < 0 || runeCount(text) <= flags.precision) return text;
  return Array.from(normalize(text)).slice(0, flags.precision).join('');
}

/** `%x` and `%X` of a string or bytes. */
export function formatHexBytes(text: string | Uint8Array, upper: boolean, flags: Flags): string {
  const all = typeof text === 'string' ? toBytes(text) : text;
  const bytes = flags.precision >= 0 ? all.subarray(0, flags.precision) : all;
  if (bytes.length === 0) return pad('', flags);
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
  const prefix = flags.sharp ? '0x' : '';
  const hex = prefix + digits.join(flags.space ? ` ${prefix}` : '');
  return pad(upper ? hex.toUpperCase() : hex, flags);
}

/**
 * Formats an integer for any verb that writes digits. `radix` is 2, 8, 10 or 16; `letterO` adds the
 * prefix `0o`.
 */
export function formatInteger(
  value: bigint,
  radix: number,
  flags: Flags,
  { upper = false, letterO = false }: { upper?: boolean; letterO?: boolean } = {},
): string {
  const negative = value < 0n;
  const { precision, width } = flags;
  if (precision === 0 && value === 0n) return ' '.repeat(width);
  let digits = (negative ? -value : value).toString(radix);
  const padded = precision < 0 && flags.zero && !flags.minus && width > 0;
  const signed = negative || flags.plus || flags.space;
  digits = digits.padStart(padded ? width - (signed ? 1 : 0) : precision, '0');
  if (flags.sharp) digits = prefixed(digits, radix);
  if (upper) digits = digits.toUpperCase();
  if (letterO) digits = `0o${digits}`;
  const sign = negative ? '-' : flags.plus ? '+' : flags.space ? ' ' : '';
  return padWithSpaces(sign + digits, flags);
}

function prefixed(digits: string, radix: number): string {
  if (radix === 16) return `0x${digits}`;
  if (radix === 2) return `0b${digits}`;
  return radix === 8 && !digits.startsWith('0') ? `0${digits}` : digits;
}

const maxRune = 0x10ffffn;

function toRune(value: bigint): number {
  return value >= 0n && value <= maxRune ? Number(value) : 0xfffd;
}

/** `%c`. */
export function formatCharacter(value: bigint, flags: Flags): string {
  return pad(runeText(toRune(value)), flags);
}

/** `%q` of an integer. */
export function formatQuotedCharacter(value: bigint, flags: Flags): string {
  return pad(flags.plus ? quoteRuneToAscii(toRune(value)) : quoteRune(toRune(value)), flags);
}

/** `%U`. */
export function formatUnicode(value: bigint, flags: Flags): string {
  const unsigned = BigInt.asUintN(64, value);
  const digits = unsigned.toString(16).toUpperCase().padStart(Math.max(flags.precision, 4), '0');
  const shown = flags.sharp && unsigned <= maxRune && isPrint(Number(unsigned));
  return padWithSpaces(`U+${digits}${shown ? ` '${runeText(Number(unsigned))}'` : ''}`, flags);
}

/** `%e`, `%f`, `%g` and similar. `precision` applies if the flags have none. */
export function formatFloating(value: number, format: FloatFormat, precision: number, flags: Flags): string {
  const wanted = flags.precision >= 0 ? flags.precision : precision;
  let number = formatFloat(value, format, wanted);
  if (!/^[+-]/.test(number)) number = `+${number}`;
  if (flags.space && !flags.plus && number.startsWith('+')) number = ` ${number.slice(1)}`;
  if (Number.isNaN(value)) return padWithSpaces(flags.space || flags.plus ? number : 'NaN', flags);
  if (!Number.isFinite(value)) return padWithSpaces(number, flags);
  if (flags.sharp && format !== 'b') number = withPoint(number, format, wanted);
  if (!flags.plus && number.startsWith('+')) return pad(number.slice(1), flags);
  if (!flags.zero || flags.minus || flags.width <= number.length) return pad(number, flags);
  return number.charAt(0) + number.slice(1).padStart(flags.width - 1, '0');
}

/** `%#g`: adds a decimal point and trailing zeros up to the precision. */
function withPoint(number: string, format: FloatFormat, precision: number): string {
  const hexadecimal = format === 'x' || format === 'X';
  const tailAt = number.search(hexadecimal ? /p/i : /[ep]/i);
  const tail = tailAt < 0 ? '' : number.slice(tailAt);
  const head = tailAt < 0 ? number : number.slice(0, tailAt);
  const counted = format === 'g' || format === 'G' || format === 'x';
  const significant = head.slice(1).replace('.', '').replace(/^0+/, '');
  let missing = (counted ? (precision < 0 ? 6 : precision) : 0) - significant.length;
  if (head.slice(1) === '0') missing--;
  return head + (head.includes('.') ? '' : '.') + '0'.repeat(Math.max(missing, 0)) + tail;
}
