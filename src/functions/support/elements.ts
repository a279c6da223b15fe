import { kindOf } from '../../go/types.ts';
import { GoError, GoObject, Int, type Value } from '../../go/value.ts';

/** The elements of a value whose kind is a slice; undefined for any other. */
export function elementsOf(value: Value): readonly Value[] | undefined {
  if (Array.isArray(value)) return value as readonly Value[];
  if (value instanceof Uint8Array) return Array.from(value, (byte) => new Int('uint8', BigInt(byte)));
  if (value instanceof GoObject && value.kind === 'slice') {
    const contents = value.contents();
    return Array.isArray(contents) ? (contents as readonly Value[]) : [];
  }
  return undefined;
}

/** The elements of a list; Sprig's error, which starts with `problem`, for what is none. */
export function listElements(value: Value, problem: string): readonly Value[] {
  const elements = elementsOf(value);
  if (elements !== undefined) return elements;
  if (value === null) throw nilDereference();
  throw new GoError(`${problem} ${kindOf(value)}`);
}

/** What Go panics with where nil is used. */
export function nilDereference(): GoError {
  return new GoError('runtime error: invalid memory address or nil pointer dereference');
}
