import { equalStrings } from './text.ts';
import { goTypeOf } from './types.ts';
import { GoObject, Int, NamedMap, Slice, type Value } from './value.ts';

/** Go's `reflect.DeepEqual`: same types all the way down and same contents; nil is not the same as empty. */
export function deepEqual(a: Value, b: Value): boolean {
  if (typeof a === 'string') return typeof b === 'string' && equalStrings(a, b);
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b;
  if (a === b) return true;
  if (goTypeOf(a) !== goTypeOf(b)) return false;
  if (a instanceof Int) return b instanceof Int && a.value === b.value;
  if (a instanceof Map) return b instanceof Map && equalMaps(a, b);
  if (a instanceof GoObject) return b instanceof GoObject && equalObjects(a, b);
  // same types, and neither is a number, a map or an object: both are lists or both are bytes
  return equalLists(a as ArrayLike<Value>, b as ArrayLike<Value>);
}

function equalMaps(a: ReadonlyMap<string, Value>, b: ReadonlyMap<string, Value>): boolean {
  if (a.size !== b.size || isNil(a) !== isNil(b)) return false;
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined || !deepEqual(value, other)) return false;
  }
  return true;
}

function equalLists(a: ArrayLike<Value>, b: ArrayLike<Value>): boolean {
  if (a.length !== b.length || isNil(a) !== isNil(b)) return false;
  for (let i = 0; i < a.length; i++) {
    if (!deepEqual(a[i] ?? null, b[i] ?? null)) return false;
  }
  return true;
}

function isNil(value: object): boolean {
  return (value instanceof Slice || value instanceof NamedMap) && value.isNil;
}

function equalObjects(a: GoObject, b: GoObject): boolean {
  const [aValue, bValue] = [a.underlying() ?? a.contents(), b.underlying() ?? b.contents()];
  if (aValue !== undefined && bValue !== undefined) return deepEqual(aValue, bValue);
  const [aMembers, bMembers] = [a.members(), b.members()];
  return (
    aMembers.length > 0 &&
    aMembers.length === bMembers.length &&
    aMembers.every(([, value], i) => deepEqual(value, bMembers[i]?.[1] ?? null))
  );
}
