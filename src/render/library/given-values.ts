import { loadValues, mergeMaps } from '../../chart/values/load-values.ts';
import { mergeValueOptions } from '../../chart/values/value-options.ts';
import { ValuesError } from '../../chart/values/values-error.ts';
import { int64, type Value, type ValueMap } from '../../go/value.ts';
import { YamlError } from '../../yaml/yaml-error.ts';
import { type PlainData, type PlainObject, plainObjectOf } from './plain-data.ts';

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
  if (typeof given !== 'string') return mapOf(plainObjectOf(given, 'values'));
  try {
    return loadValues(given);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new ValuesError(`failed to parse values: ${error.message}`, { cause: error });
  }
}

function mapOf(object: PlainObject): ValueMap {
  return new Map(Object.entries(object).map(([key, data]) => [key, valueOf(data)]));
}

function valueOf(data: PlainData): Value {
  if (typeof data === 'bigint') return int64(data);
  if (data === null || typeof data !== 'object') return data;
  return Array.isArray(data) ? data.map(valueOf) : mapOf(data);
}
