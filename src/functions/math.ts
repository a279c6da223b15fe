import { addDecimals, type Decimal, decimalOf, divideDecimals, multiplyDecimals, toNumber } from '../go/decimal.ts';
import { GoError, type GoFunction, type Int, int, int64, Slice, type Value } from '../go/value.ts';
import { checkElements, type FunctionLimits } from './limits.ts';
import { toFloat64, toInt64 } from './support/cast.ts';
import type { FunctionFamily } from './support/family.ts';

const one = ['interface {}'] as const;
const two = ['interface {}', 'interface {}'] as const;

/** Sprig's arithmetic over int64, which wraps around, and its number sequences. */
export function mathFunctions(limits: FunctionLimits): FunctionFamily {
  return {
    add1: { params: one, call: (a: Value) => int64(toInt64(a) + 1n) },
    add: {
      params: one,
      variadic: true,
      call: (...terms: Value[]) => int64(terms.reduce<bigint>((sum, term) => sum + toInt64(term), 0n)),
    },
    sub: { params: two, call: (a: Value, b: Value) => int64(toInt64(a) - toInt64(b)) },
    mul: {
      params: two,
      variadic: true,
      call: (first: Value, ...factors: Value[]) =>
        factors.reduce<Int>((product, factor) => int64(product.value * toInt64(factor)), int64(toInt64(first))),
    },
    div: { params: two, call: (a: Value, b: Value) => int64(toInt64(a) / divisor(b)) },
    mod: { params: two, call: (a: Value, b: Value) => int64(toInt64(a) % divisor(b)) },
    max: { params: two, variadic: true, call: largest },
    biggest: { params: two, variadic: true, call: largest },
    min: {
      params: two,
      variadic: true,
      call: (...values: Value[]) =>
        int64(values.map(toInt64).reduce((least, value) => (value < least ? value : least))),
    },
    until: {
      params: ['int'],
      call: (count: Int) => numberList(steps(0n, count.value, count.value < 0n ? -1n : 1n, limits)),
    },
    untilStep: {
      params: ['int', 'int', 'int'],
      call: (start: Int, stop: Int, step: Int) => numberList(steps(start.value, stop.value, step.value, limits)),
    },
    seq: {
      params: ['int'],
      variadic: true,
      call: (...params: Int[]) =>
        sequence(
          params.map(({ value }) => value),
          limits,
        ),
    },
  };
}

function divisor(value: Value): bigint {
  const number = toInt64(value);
  if (number === 0n) throw new GoError('runtime error: integer divide by zero');
  return number;
}

function largest(...values: Value[]): Int {
  return int64(values.map(toInt64).reduce((most, value) => (value > most ? value : most)));
}

function numberList(numbers: readonly bigint[]): Slice {
  return new Slice(
    'int',
    numbers.map((number) => int(number)),
  );
}

/**
 * Counts from `start` to `stop`, exclusive. Returns an empty list if the step leads away from
 * `stop`.
 */
function steps(start: bigint, stop: bigint, step: bigint, limits: FunctionLimits): bigint[] {
  if (stop < start ? step >= 0n : step <= 0n) return [];
  const distance = stop < start ? start - stop : stop - start;
  const stride = step < 0n ? -step : step;
  const count = Number((distance + stride - 1n) / stride);
  checkElements(count, limits);
  return Array.from({ length: count }, (_, i) => start + BigInt(i) * step);
}

/** The shell's `seq`: `LAST`, `FIRST LAST` or `FIRST STEP LAST`. */
function sequence(params: readonly bigint[], limits: FunctionLimits): string {
  if (params.length === 0 || params.length > 3) return '';
  const first = params.length === 1 ? 1n : (params[0] ?? 0n);
  const last = params.at(-1) ?? 0n;
  const direction = last < first ? -1n : 1n;
  const step = params.length === 3 ? (params[1] ?? 0n) : direction;
  if (direction < 0n && step > 0n) return '';
  return steps(first, last + direction, step, limits).join(' ');
}

/** Sprig's arithmetic over float64. Sums and products use decimals, so `addf 0.1 0.2` is 0.3. */
export const floatMathFunctions: FunctionFamily = {
  add1f: { params: one, call: (value: Value) => calculate(value, [int(1)], addDecimals) },
  addf: { params: one, variadic: true, call: (...terms: Value[]) => calculate(0, terms, addDecimals) },
  subf: operation((a, b) => addDecimals(a, { ...b, digits: -b.digits })),
  mulf: operation(multiplyDecimals),
  divf: operation(divideDecimals),
  maxf: { params: two, variadic: true, call: (...values: Value[]) => Math.max(...values.map(toFloat64)) },
  minf: { params: two, variadic: true, call: (...values: Value[]) => Math.min(...values.map(toFloat64)) },
  floor: { params: one, call: (value: Value) => Math.floor(toFloat64(value)) },
  ceil: { params: one, call: (value: Value) => Math.ceil(toFloat64(value)) },
  round: { params: ['interface {}', 'int', 'float64'], variadic: true, call: round },
};

type Calculation = (a: Decimal, b: Decimal) => Decimal;

function operation(calculation: Calculation): GoFunction {
  return {
    params: two,
    variadic: true,
    call: (first: Value, ...rest: Value[]) => calculate(first, rest, calculation),
  };
}

function calculate(first: Value, rest: readonly Value[], calculation: Calculation): number {
  let result = decimalOf(toFloat64(first));
  for (const value of rest) result = calculation(result, decimalOf(toFloat64(value)));
  return toNumber(result);
}

/**
 * Rounds up if the fraction is at least `threshold`. A negative fraction is always truncated toward
 * zero.
 */
function round(value: Value, places: Int, threshold = 0.5): number {
  const power = pow10(Number(places.value));
  const digit = power * toFloat64(value);
  const fraction = Number.isFinite(digit) ? digit - Math.trunc(digit) : Number.NaN;
  return (fraction >= threshold ? Math.ceil(digit) : Math.floor(digit)) / power;
}

/**
 * Go's `math.Pow(10, exponent)` for a whole exponent, in the same steps, because JavaScript's own
 * power can differ in the last bit.
 */
function pow10(exponent: number): number {
  let [mantissa, mantissaExponent] = [1, 0];
  let [factor, factorExponent] = [0.625, 4];
  for (let rest = BigInt(Math.abs(exponent)); rest !== 0n; rest >>= 1n) {
    if (factorExponent > 4096) {
      mantissaExponent += factorExponent;
      break;
    }
    if ((rest & 1n) === 1n) {
      mantissa *= factor;
      mantissaExponent += factorExponent;
    }
    factor *= factor;
    factorExponent *= 2;
    if (factor < 0.5) {
      factor += factor;
      factorExponent--;
    }
  }
  return exponent < 0 ? scale(1 / mantissa, -mantissaExponent) : scale(mantissa, mantissaExponent);
}

function scale(mantissa: number, exponent: number): number {
  const half = Math.trunc(exponent / 2);
  return mantissa * 2 ** half * 2 ** (exponent - half);
}
