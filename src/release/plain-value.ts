import { GoError, Int, type Value, type ValueMap } from '../go/value.ts';

/**
 * The value as plain JSON data. Integers become numbers, as they do in Helm once a release was stored and read again;
 * bytes become base64.
 */
export function plainValue(value: Value): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Int) return Number(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Map) return plainObject(value);
  if (Array.isArray(value)) return value.map((item: Value) => plainValue(item));
  throw new GoError(`a value of this kind cannot be stored in a release`);
}

/** As {@link plainValue}, for a map. Every key becomes an own property, `__proto__` too. */
export function plainObject(map: ReadonlyMap<string, Value>): Record<string, unknown> {
  return Object.fromEntries(Array.from(map, ([key, value]) => [key, plainValue(value)]));
}

/** Plain JSON data as a value for templates. */
export function valueOfPlain(data: unknown): Value {
  if (data === null || data === undefined) return null;
  if (typeof data === 'boolean' || typeof data === 'number' || typeof data === 'string') return data;
  if (Array.isArray(data)) return data.map(valueOfPlain);
  if (typeof data === 'object') return valueMapOfPlain(data);
  throw new GoError(`${typeof data} is no JSON`);
}

/** As {@link valueOfPlain}, for an object. */
export function valueMapOfPlain(object: object): ValueMap {
  return new Map(Object.entries(object).map(([key, value]) => [key, valueOfPlain(value)]));
}
