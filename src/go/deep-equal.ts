import { equalStrings } from './text.ts';
import { goTypeOf } from './types.ts';
import { GoObject, Int, NamedMap, Slice, type Value } from './value.ts';

/** `reflect.DeepEqual`: the same types and contents at every level; nil is not equal to empty. */
export function deepEqual(a: Value, b: Value): boolean {
  return equal(a, b, new Map());
}

/**
 * Pairs of collections that were compared or are being compared. As in Go, they are compared only
 * once.
 */
type Visited = Map<object, Set<object>>;

function equal(a: Value, b: Value, visited: Visited): boolean {
  if (typeof a === 'string') return typeof b === 'string' && equalStrings(a, b);
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b;
  if (a === b) return true;
  if (goTypeOf(a) !== goTypeOf(b)) return false;
  if (a instanceof Int) return b instanceof Int && a.value === b.value;
  if (visit(a, b, visited)) return true;
  if (a instanceof Map) return b instanceof Map && equalMaps(a, b, visited);
  if (a instanceof GoObject) return b instanceof GoObject && equalObjects(a, b, visited);
  // the types are equal and neither is a number, a map or an object: both are lists or both are
  // bytes
  return equalLists(a as ArrayLike<Value>, b as ArrayLike<Value>, visited);
}

/** Records a pair, and reports whether it was visited before. */
function visit(a: object, b: object, visited: Visited): boolean {
  const others = visited.get(a);
  if (others === undefined) visited.set(a, new Set([b]));
  else if (others.has(b)) return true;
  else others.add(b);
  return false;
}

function equalMaps(a: ReadonlyMap<string, Value>, b: ReadonlyMap<string, Value>, visited: Visited): boolean {
  if (a.size !== b.size || isNil(a) !== isNil(b)) return false;
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined || !equal(value, other, visited)) return false;
  }
  return true;
}

function equalLists(a: ArrayLike<Value>, b: ArrayLike<Value>, visited: Visited): boolean {
  if (a.length !== b.length || isNil(a) !== isNil(b)) return false;
  for (let i = 0; i < a.length; i++) {
    if (!equal(a[i] ?? null, b[i] ?? null, visited)) return false;
  }
  return true;
}

function isNil(value: object): boolean {
  return (value instanceof Slice || value instanceof NamedMap) && value.isNil;
}

function equalObjects(a: GoObject, b: GoObject, visited: Visited): boolean {
  if (a.isSame(b)) return true;
  const [aValue, bValue] = [a.underlying() ?? a.contents(), b.underlying() ?? b.contents()];
  if (aValue !== undefined && bValue !== undefined) return equal(aValue, bValue, visited);
  const [aMembers, bMembers] = [a.members(), b.members()];
  return (
    aMembers.length > 0 &&
    aMembers.length === bMembers.length &&
    aMembers.every(([, value], i) => equal(value, bMembers[i]?.[1] ?? null, visited))
  );
}
