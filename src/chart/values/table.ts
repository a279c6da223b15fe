import type { Value, ValueMap } from '../../go/value.ts';
import { GoObject, Int, NamedMap, Slice } from '../../go/value.ts';

/** Returns the value as a mutable map if it is a `map[string]interface {}`. */
export function asTable(value: Value | undefined): ValueMap | undefined {
  // maps of values belong to the owner of the values (ADR 0001)
  return value instanceof Map && !(value instanceof NamedMap) ? (value as ValueMap) : undefined;
}

/** Returns a deep copy. */
export function copyTable(table: ReadonlyMap<string, Value>): ValueMap {
  const copy: ValueMap = new Map();
  for (const [key, value] of table) copy.set(key, copyValue(value));
  return copy;
}

function copyValue(value: Value): Value {
  if (typeof value !== 'object' || value === null || value instanceof Int || value instanceof GoObject) return value;
  if (value instanceof Uint8Array) return value.slice();
  if (value instanceof Slice) return new Slice(value.element, value.isNil ? null : value.map(copyValue));
  if (Array.isArray(value)) return (value as readonly Value[]).map(copyValue);
  if (value instanceof NamedMap) return new NamedMap(value.goType, value.isNil ? null : copyTable(value));
  return value instanceof Map ? copyTable(value) : value;
}
