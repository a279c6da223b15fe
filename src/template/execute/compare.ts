import { sprintf } from '../../go/fmt.ts';
import { compareStrings, equalStrings } from '../../go/text.ts';
import { Complex, goTypeOf, kindOf } from '../../go/types.ts';
import { GoError, GoObject, Int, NamedMap, Slice, type Value } from '../../go/value.ts';
import type { Slot } from './frame.ts';

/** A value that can be ordered or tested for equality. */
type Basic = boolean | number | string | Int | Complex;

/** Groups of kinds whose values are comparable with each other. */
type Group = 'bool' | 'complex' | 'int' | 'uint' | 'float' | 'string';

function basicOf(value: Slot): Basic | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || value instanceof Int || value instanceof Complex) return value;
  return value instanceof GoObject ? value.underlying() : undefined;
}

function groupOf(value: Basic | undefined): Group | undefined {
  switch (typeof value) {
    case 'undefined':
      return undefined;
    case 'boolean':
      return 'bool';
    case 'number':
      return 'float';
    case 'string':
      return 'string';
    default:
      if (value instanceof Complex) return 'complex';
      return value.kind.startsWith('u') ? 'uint' : 'int';
  }
}

function incompatible(a: NonNullable<Value>, b: NonNullable<Value>): GoError {
  return new GoError(`incompatible types for comparison: ${goTypeOf(a)} and ${goTypeOf(b)}`);
}

/** Whether two values are equal in templates. */
export function equal(a: Slot, b: Slot): boolean {
  if (typeof a === 'string' && typeof b === 'string') return equalStrings(a, b);
  const [first, second] = [basicOf(a), basicOf(b)];
  const [firstGroup, secondGroup] = [groupOf(first), groupOf(second)];
  if (firstGroup === undefined && secondGroup === undefined) return equalOthers(a ?? null, b ?? null);
  if (first instanceof Int && second instanceof Int) return first.value === second.value;
  if (firstGroup !== secondGroup) {
    if (a !== undefined && a !== null && b !== undefined && b !== null) throw incompatible(a, b);
    return false;
  }
  if (typeof first === 'string' && typeof second === 'string') return equalStrings(first, second);
  if (first instanceof Complex && second instanceof Complex) {
    return first.real === second.real && first.imaginary === second.imaginary;
  }
  return first === second;
}

/** Compares values that are not numbers, strings or booleans. */
function equalOthers(a: Value, b: Value): boolean {
  if (a !== null && b !== null && kindOf(a) !== kindOf(b)) {
    const shown = sprintf('%s: %v, %s: %v', [a, goTypeOf(a), goTypeOf(b), b]);
    throw new GoError(`non-comparable types ${shown}`);
  }
  if (isNil(a) || isNil(b)) return isNil(a) === isNil(b);
  if (!(b instanceof GoObject) || b.contents() !== undefined) {
    throw new GoError(`non-comparable type ${sprintf('%s: %v', [b, goTypeOf(b)])}`);
  }
  return a instanceof GoObject && (a.isSame(b) || equalStructs(a, b));
}

function equalStructs(a: GoObject, b: GoObject): boolean {
  if (a.kind !== 'struct' || a.goType !== b.goType) return false;
  const members = b.members();
  return a.members().every(([, value], i) => equal(value, members[i]?.[1]));
}

/** Whether a value is nil, or a nil list or map. */
function isNil(value: Value): boolean {
  return value === null || ((value instanceof Slice || value instanceof NamedMap) && value.isNil);
}

/** The function `eq`: whether `a` equals any of the others. */
export function equalsAny(a: Slot, ...others: Slot[]): boolean {
  if (others.length === 0) throw new GoError('missing argument for comparison');
  return others.some((other) => equal(a, other));
}

/** The function `lt`. */
export function less(a: Slot, b: Slot): boolean {
  const [first, second] = [basicOf(a), basicOf(b)];
  if (a === undefined || a === null || b === undefined || b === null || first === undefined || second === undefined) {
    throw new GoError('invalid type for comparison');
  }
  if (first instanceof Int && second instanceof Int) return first.value < second.value;
  if (groupOf(first) !== groupOf(second)) throw incompatible(a, b);
  if (typeof first === 'string' && typeof second === 'string') return compareStrings(first, second) < 0;
  if (typeof first === 'number' && typeof second === 'number') return first < second;
  throw new GoError('invalid type for comparison');
}

/** The function `le`. */
export function lessOrEqual(a: Slot, b: Slot): boolean {
  return less(a, b) || equal(a, b);
}
