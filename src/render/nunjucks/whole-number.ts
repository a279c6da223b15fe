import { Int, type Value } from '../../go/value.ts';

/** Returns a whole number as an integer; undefined if the value is not a whole number. */
export function wholeNumber(value: Value): bigint | undefined {
  if (value instanceof Int) return value.value;
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : undefined;
}
