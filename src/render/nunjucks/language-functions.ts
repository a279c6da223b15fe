import { checkElements, type FunctionLimits } from '../../functions/limits.ts';
import { GoError, int, type GoFunction, type Int, type Value } from '../../go/value.ts';
import { builtins, type Builtin } from '../../template/execute/builtins.ts';
import { areEqual, compare } from './comparison.ts';
import { goCallable } from './go-callable.ts';
import { Callable, valueOf, type Call, type Operand } from './operand.ts';
import { failAt, type Position } from './position.ts';

type Comparison = (left: Value, right: Value, position: Position) => boolean;

/** Go's built-in functions, except those that are operators in Nunjucks. */
const fromGo = ['html', 'index', 'js', 'len', 'print', 'printf', 'println', 'slice', 'urlquery'] as const;

/** Go's comparisons, with Nunjucks's numbers: an int and a float64 of the same size are equal. */
const comparisons = new Map<string, Comparison>([
  ['eq', areEqual],
  ['ne', (left, right) => !areEqual(left, right)],
  ['lt', (left, right, position) => compare(left, right, position) < 0],
  ['le', (left, right, position) => compare(left, right, position) <= 0],
  ['gt', (left, right, position) => compare(left, right, position) > 0],
  ['ge', (left, right, position) => compare(left, right, position) >= 0],
]);

/** Returns the functions of the language: Go's, `range`, and `length` as another name of `len`. */
export function languageFunctions(limits: FunctionLimits): Map<string, Callable> {
  const functions = new Map<string, Callable>();
  for (const name of fromGo) {
    const builtin = builtins.get(name);
    if (builtin !== undefined) functions.set(name, goCallable(name, asFunction(builtin)));
  }
  const length = functions.get('len');
  if (length !== undefined) functions.set('length', new Callable('length', length.call));
  for (const [name, holds] of comparisons) functions.set(name, comparison(name, holds));
  functions.set(
    'range',
    goCallable('range', { params: ['int'], variadic: true, call: (...bounds: Int[]) => rangeOf(bounds, limits) }),
  );
  return functions;
}

/**
 * Converts a built-in function of Go. It has no result if a map lacks a key; the converted function
 * then returns nil.
 */
function asFunction({ params, variadic, call }: Builtin): GoFunction {
  // arguments have been converted according to `params`
  return { params, variadic, call: (...args: never[]) => call(...args) ?? null };
}

function comparison(name: string, holds: Comparison): Callable {
  return new Callable(name, ({ args, position }: Call): Operand => {
    const [left, right] = args;
    if (left === undefined || right === undefined || args.length > 2)
      return failAt(position, `${name} takes two arguments`);
    return holds(valueOf(left, position), valueOf(right, position), position);
  });
}

/**
 * Implements `range(stop)`, `range(start, stop)` and `range(start, stop, step)`, without `stop`.
 */
function rangeOf(bounds: readonly Int[], limits: FunctionLimits): Value {
  const [first = 0n, second, third = 1n] = bounds.map(({ value }) => value);
  if (bounds.length === 0 || bounds.length > 3) throw new GoError('it takes one to three numbers');
  if (third === 0n) throw new GoError('the step must not be 0');
  const [start, stop] = second === undefined ? [0n, first] : [first, second];
  const count = (stop - start + third - (third > 0n ? 1n : -1n)) / third;
  if (count <= 0n) return [];
  checkElements(Number(count), limits);
  return Array.from({ length: Number(count) }, (_, i) => int(start + BigInt(i) * third));
}
