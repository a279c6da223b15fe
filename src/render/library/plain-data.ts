import { ValuesError } from '../../chart/values/values-error.ts';
import { int64 } from '../../go/value.ts';
import { maxDepth } from '../../yaml/parse.ts';

/** Data of the application that templates can have. A bigint fits into 64 bits. */
export type PlainData = null | boolean | number | bigint | string | PlainData[] | PlainObject;

/** An object whose entries are all defined. */
export interface PlainObject {
  [key: string]: PlainData;
}

/**
 * Returns a copy of an object without the entries that are undefined. Throws {@link ValuesError}
 * with the path of what is not plain data.
 */
export function plainObjectOf(given: unknown, path: string): PlainObject {
  if (!isPlainObject(given)) throw new ValuesError(`${path} is ${nameOf(given)}, and not a plain object`);
  return objectFrom(given, path, new Set([given]));
}

function objectFrom(object: object, path: string, around: ReadonlySet<unknown>): PlainObject {
  const entries = Object.entries(object).filter(([, data]) => data !== undefined);
  return Object.fromEntries(entries.map(([key, data]) => [key, dataFrom(data, `${path}.${key}`, around)]));
}

/** @param around the objects that contain this one */
function dataFrom(data: unknown, path: string, around: ReadonlySet<unknown>): PlainData {
  if (data === null || data === undefined) return null;
  if (typeof data === 'string' || typeof data === 'boolean' || typeof data === 'number') return data;
  if (typeof data === 'bigint') return integerFrom(data, path);
  if (around.has(data)) throw new ValuesError(`${path} contains itself`);
  if (around.size >= maxDepth) {
    throw new ValuesError(`${path.slice(0, 100)}… is nested more than ${maxDepth} levels deep`);
  }
  const inside = new Set([...around, data]);
  if (Array.isArray(data)) return data.map((item: unknown, i) => dataFrom(item, `${path}[${i}]`, inside));
  if (isPlainObject(data)) return objectFrom(data, path, inside);
  throw new ValuesError(
    `${path} is ${nameOf(data)}: values are made of null, booleans, numbers, strings, arrays and plain objects`,
  );
}

function integerFrom(data: bigint, path: string): bigint {
  if (int64(data).value !== data) throw new ValuesError(`${path} does not fit into 64 bits: ${data}`);
  return data;
}

function isPlainObject(data: unknown): data is object {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return false;
  const prototype: unknown = Object.getPrototypeOf(data);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function nameOf(data: unknown): string {
  if (data === null || data === undefined) return String(data);
  return typeof data === 'object' ? `an object of ${data.constructor.name}` : `a ${typeof data}`;
}
