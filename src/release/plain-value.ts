import { GoError, Int, type Value, type ValueMap } from '../go/value.ts';

/**
 * Converts a value to plain JSON data. Integers become numbers, as in a release that Helm stored
 * and read again. Bytes become base64.
 */
export function plainValue(value: Value): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Int) return Number(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Map) return plainObject(value);
  if (Array.isArray(value)) return value.map((item: Value) => plainValue(item));
  throw new GoError('a value of this type cannot be stored in a release');
}

/** Converts a map like {@link plainValue}. Every key becomes an own property, even `__proto__`. */
export function plainObject(map: ReadonlyMap<string, Value>): Record<string, unknown> {
  return Object.fromEntries(Array.from(map, ([key, value]) => [key, plainValue(value)]));
}

/** Converts plain JSON data to a value for templates. */
export function valueOfPlain(data: unknown): Value {
  if (data === null || data === undefined) return null;
  if (typeof data === 'boolean' || typeof data === 'number' || typeof data === 'string') return data;
  if (Array.isArray(data)) return data.map(valueOfPlain);
  if (typeof data === 'object') return valueMapOfPlain(data);
  throw new GoError(`a ${typeof data} is not JSON data`);
}

/** Converts an object like {@link valueOfPlain}. */
export function valueMapOfPlain(object: object): ValueMap {
  return new Map(Object.entries(object).map(([key, value]) => [key, valueOfPlain(value)]));
}
