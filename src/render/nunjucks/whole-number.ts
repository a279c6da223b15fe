import { Int, type Value } from '../../go/value.ts';

/** The number as an integer, where it is a whole one of either kind. */
export function wholeNumber(value: Value): bigint | undefined {
  if (value instanceof Int) return value.value;
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : undefined;
}
