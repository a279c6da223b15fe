import { format } from '../../go/fmt.ts';
import { fromBytes } from '../../go/text.ts';
import { Slice, type Value } from '../../go/value.ts';
import { withCapacity, withExactCapacity } from './capacity.ts';
import { elementsOf } from './elements.ts';

/** Converts a value to a string as Sprig does: bytes as they are, anything else as Go prints it. */
export function stringOf(value: Value): string {
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array ? fromBytes(value) : format(value);
}

/**
 * Returns the elements of a list that are not nil as strings. Any other value is a list of one, nil
 * an empty list.
 */
export function stringsOf(value: Value): Slice {
  if (value instanceof Slice && value.element === 'string') return value;
  const elements = elementsOf(value);
  if (elements !== undefined) {
    const strings = elements.filter((element) => element !== null).map(stringOf);
    return withCapacity(new Slice('string', strings), elements.length);
  }
  return withExactCapacity(new Slice('string', value === null ? [] : [stringOf(value)]));
}
