import { GoObject, Int, type Value } from '../go/value.ts';

/** Whether Sprig takes a value for unset: nil, false, 0, and whatever has no elements. Structs and pointers are never empty. */
export function isEmpty(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0) return true;
  if (typeof value !== 'object') return false;
  if (value instanceof Map) return value.size === 0;
  if (value instanceof Int) return value.value === 0n;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  if (!(value instanceof GoObject)) return false;
  const contents = value.contents();
  if (contents === undefined) return false;
  return contents instanceof Map ? contents.size === 0 : (contents as readonly Value[]).length === 0;
}
