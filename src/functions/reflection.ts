import { deepEqual } from '../go/deep-equal.ts';
import { goTypeOf, kindOf } from '../go/types.ts';
import type { Value } from '../go/value.ts';
import type { FunctionFamily } from './support/family.ts';

const typeAndValue = ['string', 'interface {}'] as const;

/** Sprig's functions for the Go types of values. */
export const reflectionFunctions: FunctionFamily = {
  typeOf: { params: ['interface {}'], call: goTypeOf },
  typeIs: { params: typeAndValue, call: (type: string, value: Value) => goTypeOf(value) === type },
  typeIsLike: {
    params: typeAndValue,
    call: (type: string, value: Value) => [type, `*${type}`].includes(goTypeOf(value)),
  },
  kindOf: { params: ['interface {}'], call: kindOf },
  kindIs: { params: typeAndValue, call: (kind: string, value: Value) => kindOf(value) === kind },
  deepEqual: { params: ['interface {}', 'interface {}'], call: deepEqual },
};
