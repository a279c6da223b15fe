import { Complex, kindOf, truth } from '../go/types.ts';
import type { Value } from '../go/value.ts';
import type { FunctionFamily } from './support/family.ts';

const any = ['interface {}'] as const;

/** Sprig's functions for unset values. */
export const defaultFunctions: FunctionFamily = {
  default: {
    params: ['interface {}', 'interface {}'],
    variadic: true,
    call: (fallback: Value, ...given: Value[]) => {
      const [value = null] = given;
      return isEmpty(value) ? fallback : value;
    },
  },
  empty: { params: any, call: isEmpty },
  coalesce: {
    params: any,
    variadic: true,
    call: (...values: Value[]) => values.find((value) => !isEmpty(value)) ?? null,
  },
  all: { params: any, variadic: true, call: (...values: Value[]) => !values.some(isEmpty) },
  any: { params: any, variadic: true, call: (...values: Value[]) => !values.every(isEmpty) },
  ternary: {
    params: ['interface {}', 'interface {}', 'bool'],
    call: (whenTrue: Value, whenFalse: Value, condition: boolean) => (condition ? whenTrue : whenFalse),
  },
};

/**
 * Reports whether Sprig treats a value as unset: nil, false, 0, or without elements. Structs and
 * pointers are never empty.
 */
export function isEmpty(value: Value): boolean {
  if (value === null || typeof value !== 'object') return !truth(value);
  if (value instanceof Complex) return value.real === 0 && value.imaginary === 0;
  const kind = kindOf(value);
  return kind !== 'struct' && kind !== 'ptr' && !truth(value);
}
