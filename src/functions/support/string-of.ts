import { format } from '../../go/fmt.ts';
import { fromBytes } from '../../go/text.ts';
import { Slice, type Value } from '../../go/value.ts';
import { exact, withCapacity } from './capacity.ts';
import { elementsOf } from './elements.ts';

/** A value as Sprig turns it into a string: bytes as they are, everything else as Go prints it. */
export function stringOf(value: Value): string {
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array ? fromBytes(value) : format(value);
}

/** The elements of a list as strings, without those that are nil; anything else is a list of one, nil of none. */
export function stringsOf(value: Value): Slice {
  if (value instanceof Slice && value.element === 'string') return value;
  const elements = elementsOf(value);
  if (elements !== undefined) {
    const strings = elements.filter((element) => element !== null).map(stringOf);
    return withCapacity(new Slice('string', strings), elements.length);
  }
  return exact(new Slice('string', value === null ? [] : [stringOf(value)]));
}
