import { sprint, sprintf, sprintln } from '../../go/fmt.ts';
import { goTypeOf, truth } from '../../go/types.ts';
import { GoError, int, type Value } from '../../go/value.ts';
import { equal, equalsAny, less, lessOrEqual } from './compare.ts';
import { escapeHtml, escapeJs, escapeUrlQuery } from './escape.ts';
import type { Slot } from './frame.ts';
import { indexValue, lengthOf, sliceValue } from './index-value.ts';

/**
 * A built-in function of the template language. `reflect.Value` parameters accept any result of an
 * operand, including no value.
 */
export interface Builtin {
  readonly params: readonly string[];
  readonly variadic: boolean;
  readonly call: (...args: never[]) => Slot;
  /** Whether it can return a nil that is a value. */
  readonly nullable: boolean;
}

const any = 'interface {}';
const value = 'reflect.Value';

function fixed(params: readonly string[], call: Builtin['call']): Builtin {
  return { params, variadic: false, call, nullable: false };
}

function variadic(params: readonly string[], call: Builtin['call'], nullable = false): Builtin {
  return { params, variadic: true, call, nullable };
}

/** The function `call`. It always fails, because no template value is a function. */
function callValue(name: string, callee: Slot): Slot {
  if (callee === undefined || callee === null) throw new GoError('call of nil');
  throw new GoError(`non-function ${name} of type ${goTypeOf(callee)}`);
}

function unreachable(): never {
  throw new GoError('unreachable');
}

/** Go's built-in functions, by name. */
export const builtins: ReadonlyMap<string, Builtin> = new Map([
  ['and', variadic([value, value], unreachable, true)],
  ['call', variadic([value, value], callValue, true)],
  ['eq', variadic([value, value], equalsAny)],
  ['ge', fixed([value, value], (a: Slot, b: Slot) => !less(a, b))],
  ['gt', fixed([value, value], (a: Slot, b: Slot) => !lessOrEqual(a, b))],
  ['html', variadic([any], escapeHtml)],
  ['index', variadic([value, value], indexValue, true)],
  ['js', variadic([any], escapeJs)],
  ['le', fixed([value, value], lessOrEqual)],
  ['len', fixed([value], (item: Slot) => int(lengthOf(item)))],
  ['lt', fixed([value, value], less)],
  ['ne', fixed([value, value], (a: Slot, b: Slot) => !equal(a, b))],
  ['not', fixed([value], (item: Slot) => item === undefined || !truth(item))],
  ['or', variadic([value, value], unreachable, true)],
  ['print', variadic([any], (...values: Value[]) => sprint(values))],
  ['printf', variadic(['string', any], (format: string, ...values: Value[]) => sprintf(format, values))],
  ['println', variadic([any], (...values: Value[]) => sprintln(values))],
  ['slice', variadic([value, value], sliceValue, true)],
  ['urlquery', variadic([any], escapeUrlQuery)],
]);
