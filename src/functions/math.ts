import { GoError, int, int64, Slice, type Int, type Value } from '../go/value.ts';
import { toInt64 } from './support/cast.ts';
import type { FunctionFamily } from './support/family.ts';
import { checkElements, type FunctionLimits } from './limits.ts';

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
