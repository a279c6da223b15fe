import { parseFloat64, parseInteger } from '../../go/parse-number.ts';
import { GoObject, int, int64, Int, type Value } from '../../go/value.ts';

const smallest = -(1n << 63n);
const limit = 2 ** 63;

/** Converts to int64 as spf13/cast does: text in any of Go's notations, true as 1; what is no number is 0. */
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

/** Converts to float64 as spf13/cast does; what is no number is 0. */
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

/** Go's conversion of a float64 on amd64: toward zero, and the smallest int64 where it does not fit. */
export function truncate(value: number): bigint {
  return value >= -limit && value < limit ? BigInt(Math.trunc(value)) : smallest;
}

/** `7.00` is read as `7`, `7.10` is left alone. */
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
