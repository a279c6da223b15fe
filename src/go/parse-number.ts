import { shiftRight } from './float.ts';
import { quote } from './strconv.ts';

/** A parsed number, or the closest one together with Go's error. */
export interface Parsed<T> {
  readonly value: T;
  /** Go's error text, such as `strconv.ParseInt: parsing "x": invalid syntax`. */
  readonly error?: string;
}

const bases: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16 };
const digitValues = '0123456789abcdefghijklmnopqrstuvwxyz';

/**
 * `strconv.ParseInt`.
 * @param base 2 to 36, or 0 to take the base from the prefix of the text and allow underscores.
 * @param bits Size of the integer type that must hold the number.
 */
export function parseInteger(text: string, base = 10, bits = 64, name = 'ParseInt'): Parsed<bigint> {
  const negative = text.startsWith('-');
  const magnitude = readDigits(negative || text.startsWith('+') ? text.slice(1) : text, base, text);
  if (magnitude === undefined) return failed(0n, name, text, 'invalid syntax');
  const limit = 1n << BigInt(bits - 1);
  if (negative) return magnitude > limit ? failed(-limit, name, text, 'value out of range') : { value: -magnitude };
  return magnitude >= limit ? failed(limit - 1n, name, text, 'value out of range') : { value: magnitude };
}

/** `strconv.Atoi`. */
export function parseDecimalInteger(text: string): Parsed<bigint> {
  return parseInteger(text, 10, 64, 'Atoi');
}

/** `strconv.ParseUint`; see {@link parseInteger}. */
export function parseUnsigned(text: string, base = 10, bits = 64): Parsed<bigint> {
  const magnitude = readDigits(text, base, text);
  if (magnitude === undefined) return failed(0n, 'ParseUint', text, 'invalid syntax');
  const limit = 1n << BigInt(bits);
  return magnitude >= limit ? failed(limit - 1n, 'ParseUint', text, 'value out of range') : { value: magnitude };
}

function failed<T>(value: T, name: string, text: string, reason: string): Parsed<T> {
  return { value, error: `strconv.${name}: parsing ${quote(text)}: ${reason}` };
}

function readDigits(unsigned: string, base: number, whole: string): bigint | undefined {
  let digits = unsigned.toLowerCase();
  let radix = base;
  if (base === 0) {
    const prefixed = digits.length >= 3 && digits.startsWith('0') ? bases[digits.charAt(1)] : undefined;
    radix = prefixed ?? (digits.startsWith('0') ? 8 : 10);
    if (digits === '') return undefined;
    if (prefixed !== undefined) digits = digits.slice(2);
    else if (radix === 8) digits = digits.slice(1) || '0';
    if (digits.includes('_')) {
      if (!underscoresAllowed(whole)) return undefined;
      digits = digits.replaceAll('_', '');
    }
  }
  return toBigInt(digits, radix);
}

function toBigInt(digits: string, radix: number): bigint | undefined {
  if (digits === '') return undefined;
  const allowed = digitValues.slice(0, radix);
  const wrong = Array.from(digits).findIndex((digit) => !allowed.includes(digit));
  if (wrong >= 0) {
    // Go reports an overflow in the digits before a wrong one first
    const before = toBigInt(digits.slice(0, wrong), radix);
    return before !== undefined && before >= 1n << 64n ? before : undefined;
  }
  const significant = digits.replace(/^0+/, '');
  if (significant.length > 64) return 1n << 64n;
  if (radix === 10) return BigInt(significant);
  let value = 0n;
  for (const digit of significant) value = value * BigInt(radix) + BigInt(allowed.indexOf(digit));
  return value;
}

/** Reports whether underscores are only between digits, or between the base prefix and a digit. */
function underscoresAllowed(text: string): boolean {
  const unsigned = text.replace(/^[+-]/, '').toLowerCase();
  const prefix = /^0[box]/.exec(unsigned);
  const digit = unsigned.startsWith('0x') ? '[0-9a-f]' : '[0-9]';
  const marked = prefix === null ? unsigned : `0${unsigned.slice(2)}`;
  return !new RegExp(`(?<!${digit})_|_(?!${digit})`).test(marked);
}

const decimalPattern = /^[+-]?(?=_*(?:\._*)?[0-9])[0-9_]*(?:\.[0-9_]*)?(?:e[+-]?[0-9][0-9_]*)?$/i;
const hexPattern = /^([+-]?)0x(?=_*(?:\._*)?[0-9a-f])([0-9a-f_]*)(?:\.([0-9a-f_]*))?p([+-]?[0-9][0-9_]*)$/i;
const specialPattern = /^[+-]?(?:inf|infinity|nan)$/i;

/** `strconv.ParseFloat` for a float64. */
export function parseFloat64(text: string): Parsed<number> {
  const value = readFloat(text);
  if (value === undefined) return failed(0, 'ParseFloat', text, 'invalid syntax');
  const infinite = !Number.isFinite(value) && !specialPattern.test(text);
  return infinite ? failed(value, 'ParseFloat', text, 'value out of range') : { value };
}

function readFloat(text: string): number | undefined {
  if (specialPattern.test(text)) return specialFloat(text.toLowerCase());
  if (text.includes('_') && !underscoresAllowed(text)) return undefined;
  if (decimalPattern.test(text)) return Number(text.replaceAll('_', ''));
  const match = hexPattern.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', power = '0'] = match;
  const hex = (whole + fraction).replaceAll('_', '');
  const exponent = clamp(Number(power.replaceAll('_', ''))) - 4 * fraction.replaceAll('_', '').length;
  const magnitude = scale(BigInt(`0x${hex}`), exponent);
  return sign === '-' ? -magnitude : magnitude;
}

function clamp(exponent: number): number {
  return Math.max(-100_000, Math.min(100_000, exponent));
}

function specialFloat(text: string): number | undefined {
  if (text.endsWith('nan')) return text === 'nan' ? Number.NaN : undefined;
  return text.startsWith('-') ? -Infinity : Infinity;
}

/** Returns the float nearest to mantissa × 2^exponent, half to even. */
function scale(mantissa: bigint, exponent: number): number {
  if (mantissa === 0n) return 0;
  const quantum = Math.max(mantissa.toString(2).length + exponent - 53, -1074);
  const excess = quantum - exponent;
  if (excess <= 0) return Number(mantissa) * 2 ** exponent;
  if (excess > mantissa.toString(2).length + 1) return 0;
  return Number(shiftRight(mantissa, excess)) * 2 ** quantum;
}
