import { addDecimals, decimalOf, divideDecimals, multiplyDecimals, toNumber, type Decimal } from '../go/decimal.ts';
import { pow10 } from '../go/pow.ts';
import { int, type GoFunction, type Int, type Value } from '../go/value.ts';
import { toFloat64 } from './support/cast.ts';
import type { FunctionFamily } from './support/family.ts';

const one = ['interface {}'] as const;
const two = ['interface {}', 'interface {}'] as const;

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
  return { params: two, variadic: true, call: (first: Value, ...rest: Value[]) => calculate(first, rest, calculation) };
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
