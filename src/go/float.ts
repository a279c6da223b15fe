/** Formats floating-point numbers as Go's `strconv` does. */

/** Float formats, named after their verbs: `%e`, `%f` and so on. */
export type FloatFormat = 'b' | 'e' | 'E' | 'f' | 'g' | 'G' | 'x' | 'X';

/** Decimal digits and the position of the decimal point: 0.d1d2d3 × 10^exponent. */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

/**
 * `strconv.FormatFloat` for a float64.
 * @param precision Number of digits after the point, or of significant digits for `g`; -1 for the
 * fewest digits that parse back to the same number.
 */
export function formatFloat(value: number, format: FloatFormat, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (precision < 0 && format === 'g' && isPlainInteger(value)) return String(value);
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const magnitude = Math.abs(value);
  if (format === 'b') return sign + binary(magnitude);
  if (format === 'x' || format === 'X') return sign + hexadecimal(magnitude, format, precision);
  return sign + decimal(magnitude, format, precision);
}

function isPlainInteger(value: number): boolean {
  return Number.isInteger(value) && value < 1e6 && value > -1e6 && !Object.is(value, -0);
}

function decimal(value: number, format: 'e' | 'E' | 'f' | 'g' | 'G', precision: number): string {
  const shortest = precision < 0;
  switch (format) {
    case 'e':
    case 'E': {
      const number = shortest ? shortestDecimal(value) : roundDigits(exactDecimal(value), precision + 1);
      return scientific(number, shortest ? number.digits.length - 1 : precision, format);
    }
    case 'f': {
      const number = shortest ? shortestDecimal(value) : roundPlaces(exactDecimal(value), precision);
      return positional(number, shortest ? Math.max(number.digits.length - number.exponent, 0) : precision);
    }
    default:
      return general(value, format, precision);
  }
}

function general(value: number, format: 'g' | 'G', precision: number): string {
  const shortest = precision < 0;
  const wanted = precision === 0 ? 1 : precision;
  const number = shortest ? shortestDecimal(value) : trimZeros(roundDigits(exactDecimal(value), wanted));
  const length = number.digits === '0' ? 0 : number.digits.length;
  const limit = shortest ? 6 : wanted > length && length >= number.exponent ? length : wanted;
  const exponent = number.exponent - 1;
  if (exponent < -4 || exponent >= limit) {
    return scientific(number, Math.max(length, 1) - 1, format === 'g' ? 'e' : 'E');
  }
  return positional(number, Math.max(length - number.exponent, 0));
}

/** Returns the fewest digits that parse back to the same number. */
function shortestDecimal(value: number): Decimal {
  if (value === 0) return { digits: '0', exponent: 1 };
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  return { digits: mantissa.replace('.', ''), exponent: Number(exponent) + 1 };
}

/** Returns all digits of the exact value. */
function exactDecimal(value: number): Decimal {
  if (value === 0) return { digits: '0', exponent: 1 };
  const { mantissa, exponent } = decompose(value);
  if (exponent >= 0) {
    const digits = (mantissa << BigInt(exponent)).toString();
    return { digits, exponent: digits.length };
  }
  const digits = (mantissa * 5n ** BigInt(-exponent)).toString();
  return { digits, exponent: digits.length + exponent };
}

function roundPlaces(number: Decimal, places: number): Decimal {
  return roundDigits(number, number.exponent + places);
}

/** Rounds to `count` digits, half to even. */
function roundDigits({ digits, exponent }: Decimal, count: number): Decimal {
  if (count >= digits.length) return { digits, exponent };
  if (count < 0) return { digits: '0', exponent: 1 };
  const kept = digits.slice(0, count);
  if (!roundsUp(digits, count)) return count === 0 ? { digits: '0', exponent: 1 } : { digits: kept, exponent };
  const raised = (BigInt(kept === '' ? '0' : kept) + 1n).toString();
  return { digits: raised, exponent: exponent + raised.length - count };
}

function roundsUp(digits: string, count: number): boolean {
  const next = digits.charCodeAt(count) - 0x30;
  if (next !== 5) return next > 5;
  if (/[1-9]/.test(digits.slice(count + 1))) return true;
  return count > 0 && digits.charCodeAt(count - 1) % 2 === 1;
}

function trimZeros({ digits, exponent }: Decimal): Decimal {
  const trimmed = digits.replace(/(?<!0)0+$/, '');
  return trimmed === '' ? { digits: '0', exponent: 1 } : { digits: trimmed, exponent };
}

function scientific({ digits, exponent }: Decimal, places: number, letter: 'e' | 'E'): string {
  const shown = digits === '0' ? 0 : exponent - 1;
  const fraction = places > 0 ? `.${digits.slice(1, places + 1).padEnd(places, '0')}` : '';
  const power = String(Math.abs(shown)).padStart(2, '0');
  return `${digits.charAt(0)}${fraction}${letter}${shown < 0 ? '-' : '+'}${power}`;
}

function positional({ digits, exponent }: Decimal, places: number): string {
  const whole = exponent > 0 ? digits.slice(0, exponent).padEnd(exponent, '0') : '0';
  if (places <= 0) return whole;
  const after = exponent > 0 ? digits.slice(exponent) : '0'.repeat(-exponent) + digits;
  return `${whole}.${after.slice(0, places).padEnd(places, '0')}`;
}

/**
 * Splits a finite float into mantissa × 2^exponent, where the mantissa is a whole number of at most
 * 53 bits.
 */
function decompose(value: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & ((1n << 52n) - 1n);
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 };
}

function binary(value: number): string {
  const { mantissa, exponent } = decompose(value);
  return `${mantissa}p${exponent >= 0 ? '+' : ''}${exponent}`;
}

function hexadecimal(value: number, format: 'x' | 'X', precision: number): string {
  const { mantissa, exponent } = roundHex(value, precision);
  const fraction = mantissa.toString(16).padStart(14, '0').slice(1);
  const places =
    precision < 0 ? fraction.replace(/(?<!0)0+$/, '') : fraction.slice(0, precision).padEnd(precision, '0');
  const sign = exponent < 0 ? '-' : '+';
  const power = String(Math.abs(exponent)).padStart(2, '0');
  const text = `0x${value === 0 ? 0 : 1}${places && `.${places}`}p${sign}${power}`;
  return format === 'X' ? text.toUpperCase() : text;
}

/**
 * Returns the mantissa with its leading one at bit 52, rounded to `precision` hexadecimal digits
 * after it, and the power of two of that leading one.
 */
function roundHex(value: number, precision: number): { mantissa: bigint; exponent: number } {
  if (value === 0) return { mantissa: 0n, exponent: 0 };
  let { mantissa, exponent } = decompose(value);
  const missing = 53 - mantissa.toString(2).length;
  mantissa <<= BigInt(missing);
  exponent += 52 - missing;
  if (precision < 0 || precision >= 13) return { mantissa, exponent };
  const rounded = shiftRight(mantissa, 4 * (13 - precision)) << BigInt(4 * (13 - precision));
  return rounded < 1n << 53n ? { mantissa: rounded, exponent } : { mantissa: rounded >> 1n, exponent: exponent + 1 };
}

/** Divides by 2^`bits`, and rounds half to even. */
export function shiftRight(value: bigint, bits: number): bigint {
  const dropped = BigInt(bits);
  const half = 1n << (dropped - 1n);
  const rest = value & ((1n << dropped) - 1n);
  const kept = value >> dropped;
  return rest > half || (rest === half && (kept & 1n) === 1n) ? kept + 1n : kept;
}
