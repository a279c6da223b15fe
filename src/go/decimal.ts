import { format } from './fmt.ts';
import { GoError } from './value.ts';

/** A number as in shopspring/decimal: `digits` × 10^`exponent`. */
export interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

const divisionPlaces = 16;

/** Converts a float64 to the decimal that it is printed as. */
export function decimalOf(value: number): Decimal {
  if (!Number.isFinite(value)) throw new GoError(`Cannot create a Decimal from ${format(value)}`);
  const [mantissa = '0', exponent = '0'] = value.toString().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Returns the float64 nearest to a decimal. */
export function toNumber({ digits, exponent }: Decimal): number {
  return Number(`${digits}e${exponent}`);
}

/** Returns the exact sum. */
export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const exponent = Math.min(a.exponent, b.exponent);
  return { digits: rescale(a, exponent) + rescale(b, exponent), exponent };
}

function rescale({ digits, exponent }: Decimal, to: number): bigint {
  return digits * powerOfTen(exponent - to);
}

function powerOfTen(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

/** Returns the exact product. */
export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, exponent: a.exponent + b.exponent };
}

/** Returns the quotient, rounded to 16 places, half away from zero. */
export function divideDecimals(a: Decimal, b: Decimal): Decimal {
  if (b.digits === 0n) throw new GoError('decimal division by 0');
  const shift = a.exponent - b.exponent + divisionPlaces;
  const numerator = shift > 0 ? a.digits * powerOfTen(shift) : a.digits;
  const denominator = shift < 0 ? b.digits * powerOfTen(-shift) : b.digits;
  const quotient = numerator / denominator;
  const remainder = numerator % denominator;
  const roundsAway = 2n * magnitude(remainder) >= magnitude(denominator);
  const away = numerator < 0n === denominator < 0n ? 1n : -1n;
  return { digits: roundsAway ? quotient + away : quotient, exponent: -divisionPlaces };
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
