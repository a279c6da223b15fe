import { parseFloat64, parseInteger } from '../../go/parse-number.ts';
import { GoObject, Int, int, int64, type Value } from '../../go/value.ts';

const smallest = -(1n << 63n);
const limit = 2 ** 63;

/**
 * Converts to int64 as spf13/cast does: accepts any of Go's notations, true is 1. Returns 0 for
 * anything else.
 */
export function toInt64(value: Value): bigint {
  if (value instanceof Int) return BigInt.asIntN(64, value.value);
  switch (typeof value) {
    case 'number':
      return truncate(value);
    case 'string': {
      const { value: parsed, error } = parseInteger(trimZeroDecimal(value), 0);
      return error === undefined ? parsed : 0n;
    }
    case 'boolean':
      return value ? 1n : 0n;
    default:
      return value instanceof GoObject ? calendarNumber(value) : 0n;
  }
}

/** Converts to float64 as spf13/cast does. Returns 0 if the value is not a number. */
export function toFloat64(value: Value): number {
  if (value instanceof Int) return Number(value.value);
  switch (typeof value) {
    case 'number':
      return value;
    case 'string': {
      const { value: parsed, error } = parseFloat64(value);
      return error === undefined ? parsed : 0;
    }
    case 'boolean':
      return value ? 1 : 0;
    default:
      return value instanceof GoObject ? Number(calendarNumber(value)) : 0;
  }
}

/** Months and weekdays are the only named types that count as numbers. */
function calendarNumber(object: GoObject): bigint {
  const number = object.goType === 'time.Month' || object.goType === 'time.Weekday' ? object.underlying() : undefined;
  return number instanceof Int ? number.value : 0n;
}

/**
 * Go's conversion of a float64 on amd64: truncates toward zero, and returns the smallest int64 on
 * overflow.
 */
export function truncate(value: number): bigint {
  return value >= -limit && value < limit ? BigInt(Math.trunc(value)) : smallest;
}

/** Returns `7` for `7.00`; leaves `7.10` unchanged. */
function trimZeroDecimal(text: string): string {
  return text.replace(/\.0+\.*$/, '');
}

/** Converts to an `int` value. */
export function castInt(value: Value): Int {
  return int(toInt64(value));
}

/** Converts to an `int64` value. */
export function castInt64(value: Value): Int {
  return int64(toInt64(value));
}
