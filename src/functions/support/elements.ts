import { kindOf } from '../../go/types.ts';
import { GoError, GoObject, Int, type Value } from '../../go/value.ts';

/** Returns the elements of a value whose kind is a slice, otherwise undefined. */
export function elementsOf(value: Value): readonly Value[] | undefined {
  if (Array.isArray(value)) return value as readonly Value[];
  if (value instanceof Uint8Array) return Array.from(value, (byte) => new Int('uint8', BigInt(byte)));
  if (value instanceof GoObject && value.kind === 'slice') {
    const contents = value.contents();
    return Array.isArray(contents) ? (contents as readonly Value[]) : [];
  }
  return undefined;
}

/**
 * Returns the elements of a list. Throws Sprig's error, which starts with `problem`, if the value
 * is not a list.
 */
export function listElements(value: Value, problem: string): readonly Value[] {
  const elements = elementsOf(value);
  if (elements !== undefined) return elements;
  if (value === null) throw nilDereference();
  throw new GoError(`${problem} ${kindOf(value)}`);
}

/** Returns Go's panic for a nil dereference. */
export function nilDereference(): GoError {
  return new GoError('runtime error: invalid memory address or nil pointer dereference');
}
