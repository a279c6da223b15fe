import { deepEqual } from '../go/deep-equal.ts';
import { format } from '../go/fmt.ts';
import { parseDecimalInteger, parseInteger } from '../go/parse-number.ts';
import { goTypeOf, kindOf } from '../go/types.ts';
import { int, int64, type Value } from '../go/value.ts';
import { castInt, castInt64, toFloat64 } from './support/cast.ts';
import type { FunctionFamily } from './support/family.ts';
import { stringOf } from './support/string-of.ts';

const any = ['interface {}'] as const;

/** Sprig's conversions between types. A value that cannot be converted becomes 0. */
export const conversionFunctions: FunctionFamily = {
  toString: { params: any, call: stringOf },
  int: { params: any, call: castInt },
  int64: { params: any, call: castInt64 },
  float64: { params: any, call: toFloat64 },
  atoi: { params: ['string'], call: (text: string) => int(parseDecimalInteger(text).value) },
  toDecimal: {
    params: any,
    call: (value: Value) => {
      const { value: parsed, error } = parseInteger(format(value), 8);
      return int64(error === undefined ? parsed : 0n);
    },
  },
};

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
