import { loadValues, mergeMaps } from '../../chart/values/load-values.ts';
import { mergeValueOptions } from '../../chart/values/value-options.ts';
import { ValuesError } from '../../chart/values/values-error.ts';
import { int64, type Value, type ValueMap } from '../../go/value.ts';
import { YamlError } from '../../yaml/yaml-error.ts';

/**
 * Values as YAML text, or as data: null, booleans, numbers, strings, arrays and plain objects. A
 * number is a float64, as in Helm's values files; a bigint is an int64, as with `--set`. Entries
 * that are undefined are left out.
 */
export type GivenValues = string | Readonly<Record<string, unknown>>;

/** Values of a render. Later fields override earlier ones, as in Helm. */
export interface ValueInput {
  /** Contents of values files (`helm -f`). Later ones override earlier ones. Default: none. */
  values?: GivenValues | readonly GivenValues[];
  /** Arguments of `--set-json`: `{"a": 1}` or `a={"b":1}`. */
  setJson?: readonly string[];
  /** Arguments of `--set`: `image.tag=1.2,replicas=2`. */
  set?: readonly string[];
  /** Arguments of `--set-string`. */
  setString?: readonly string[];
  /** Arguments of `--set-literal`. */
  setLiteral?: readonly string[];
}

/** Returns the values, merged as Helm merges them. Throws {@link ValuesError}. */
export function givenValues({ values = [], setJson, set, setString, setLiteral }: ValueInput): ValueMap {
  const all = isList(values) ? values : [values];
  const base = all.map(oneOf).reduce(mergeMaps, new Map<string, Value>());
  const options = {
    ...(setJson && { json: setJson }),
    ...(set && { values: set }),
    ...(setString && { strings: setString }),
    ...(setLiteral && { literals: setLiteral }),
  };
  // no option names a file, so none is read
  return mergeValueOptions(options, () => '', base);
}

function isList(values: GivenValues | readonly GivenValues[]): values is readonly GivenValues[] {
  return Array.isArray(values);
}

function oneOf(given: GivenValues): ValueMap {
  if (typeof given !== 'string') return mapFrom(Object.entries(given), 'values', new Set([given]));
  try {
    return loadValues(given);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new ValuesError(`failed to parse values: ${error.message}`, { cause: error });
  }
}

function mapFrom(entries: readonly [string, unknown][], path: string, around: ReadonlySet<unknown>): ValueMap {
  const map = new Map<string, Value>();
  for (const [key, data] of entries) {
    if (data !== undefined) map.set(key, valueFrom(data, `${path}.${key}`, around));
  }
  return map;
}

/** @param around the objects that contain this one */
function valueFrom(data: unknown, path: string, around: ReadonlySet<unknown>): Value {
  if (data === null || data === undefined) return null;
  if (typeof data === 'string' || typeof data === 'boolean' || typeof data === 'number') return data;
  if (typeof data === 'bigint') return integerFrom(data, path);
  if (around.has(data)) throw new ValuesError(`${path} contains itself`);
  const inside = new Set([...around, data]);
  if (Array.isArray(data)) return data.map((item: unknown, i) => valueFrom(item, `${path}[${i}]`, inside));
  if (isPlainObject(data)) return mapFrom(Object.entries(data), path, inside);
  throw new ValuesError(
    `${path} is ${nameOf(data)}: values are made of null, booleans, numbers, strings, arrays and plain objects`,
  );
}

function integerFrom(data: bigint, path: string): Value {
  const integer = int64(data);
  if (integer.value !== data) throw new ValuesError(`${path} does not fit into 64 bits: ${data}`);
  return integer;
}

function isPlainObject(data: unknown): data is object {
  if (typeof data !== 'object' || data === null) return false;
  const prototype: unknown = Object.getPrototypeOf(data);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function nameOf(data: unknown): string {
  return typeof data === 'object' && data !== null ? `an object of ${data.constructor.name}` : `a ${typeof data}`;
}
