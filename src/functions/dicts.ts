import type { Host } from '../go/host.ts';
import { nodeWeight, TextSize } from '../go/limit-error.ts';
import { plainMap } from '../go/map-view.ts';
import { parseVersion, Version } from '../go/semver.ts';
import { sortedKeys } from '../go/text.ts';
import { goTypeOf, isList, isMap } from '../go/types.ts';
import { GoError, type GoFunction, GoObject, NamedMap, Slice, type Value, type ValueMap } from '../go/value.ts';
import { acceptsAnyValue, elementType } from '../template/execute/argument-type.ts';
import { isEmpty } from './defaults.ts';
import { withCapacityOf } from './support/capacity.ts';
import type { FunctionFamily } from './support/family.ts';
import { stringOf } from './support/string-of.ts';

const mapType = 'map[string]interface {}';
type ReadMap = ReadonlyMap<string, Value>;

/** Sprig's functions over dictionaries. They change their argument in place, as in Go. */
export function dictFunctions({ keyOrder }: Host): FunctionFamily {
  const keysOf = (map: ReadMap) => (keyOrder === 'descending' ? sortedKeys(map).reverse() : sortedKeys(map));
  return {
    ...orderlessFunctions,
    keys: {
      params: [mapType],
      variadic: true,
      call: (...maps: ReadMap[]) => new Slice('string', maps.flatMap(keysOf)),
    },
    values: { params: [mapType], call: (map: ReadMap) => keysOf(map).map((key) => map.get(key) ?? null) },
  };
}

/** Functions whose results do not depend on the order of keys. */
const orderlessFunctions: FunctionFamily = {
  dict: { params: ['interface {}'], variadic: true, call: dict },
  get: {
    params: [mapType, 'string'],
    call: (map: ReadMap, key: string) => (map.has(key) ? (map.get(key) ?? null) : ''),
  },
  set: {
    params: [mapType, 'string', 'interface {}'],
    call: (map: ValueMap, key: string, value: Value) => {
      checkWritable(map);
      map.set(key, value);
      return plainMap(map);
    },
  },
  unset: {
    params: [mapType, 'string'],
    call: (map: ValueMap, key: string) => {
      map.delete(key);
      return plainMap(map);
    },
  },
  hasKey: { params: [mapType, 'string'], call: (map: ReadMap, key: string) => map.has(key) },
  pluck: {
    params: ['string', mapType],
    variadic: true,
    call: (key: string, ...maps: ReadMap[]) => maps.filter((map) => map.has(key)).map((map) => map.get(key) ?? null),
  },
  pick: { params: [mapType, 'string'], variadic: true, call: pick },
  omit: { params: [mapType, 'string'], variadic: true, call: omit },
  merge: merger(false, true),
  mustMerge: merger(false, false),
  mergeOverwrite: merger(true, true),
  mustMergeOverwrite: merger(true, false),
  deepCopy: { params: ['interface {}'], call: deepCopy },
  mustDeepCopy: { params: ['interface {}'], call: deepCopy },
  dig: { params: ['interface {}'], variadic: true, call: dig },
};

function dict(...keysAndValues: Value[]): ValueMap {
  const map: ValueMap = new Map();
  for (let i = 0; i < keysAndValues.length; i += 2) {
    const value = i + 1 < keysAndValues.length ? keysAndValues[i + 1] : '';
    map.set(stringOf(keysAndValues[i] ?? null), value ?? null);
  }
  return map;
}

function pick(map: ReadMap, ...keys: string[]): ValueMap {
  const picked: ValueMap = new Map();
  for (const key of keys) {
    const value = map.get(key);
    if (value !== undefined) picked.set(key, value);
  }
  return picked;
}

function omit(map: ReadMap, ...keys: string[]): ValueMap {
  const rest: ValueMap = new Map(map);
  for (const key of keys) rest.delete(key);
  return rest;
}

/** Sprig's `merge` and its variants. If `quiet` is set, an error becomes an empty string. */
function merger(overwrite: boolean, quiet: boolean): GoFunction {
  return {
    params: [mapType, mapType],
    variadic: true,
    call: (map: ValueMap, ...sources: ReadMap[]) => {
      const target = isNilMap(map) && sources.some((source) => !isNilMap(source)) ? new Map<string, Value>() : map;
      try {
        for (const source of sources) mergeInto(target, source, overwrite);
      } catch (error) {
        if (quiet && error instanceof MergeError) return '';
        throw error;
      }
      return plainMap(target);
    },
  };
}

function dig(...args: Value[]): Value {
  if (args.length < 3) throw new GoError('dig needs at least three arguments');
  const fallback = args.at(-2) ?? null;
  let found: Value = checkedMap(args.at(-1) ?? null);
  const path = args.slice(0, -2).map((key) => {
    if (typeof key !== 'string') throw conversion(key, 'string');
    return key;
  });
  for (const key of path) {
    const step: Value | undefined = checkedMap(found).get(key);
    if (step === undefined) return fallback;
    found = step;
  }
  return found;
}

function checkedMap(value: Value): ReadMap {
  if (value instanceof Map && goTypeOf(value) === mapType) return value;
  throw conversion(value, mapType);
}

function conversion(value: Value, wanted: string): GoError {
  const actual = value === null ? 'nil' : goTypeOf(value);
  return new GoError(`interface conversion: interface {} is ${actual}, not ${wanted}`);
}

/** Returns a deep copy, as `copystructure.Copy` does: the copy of a version has no fields set. */
function deepCopy(value: Value): Value {
  if (value === null) throw new GoError('reflect: call of reflect.Value.Type on zero Value');
  return copy(value, new TextSize(), 0);
}

function copy(value: Value, size: TextSize, depth: number): Value {
  if (value === null || typeof value !== 'object') return value;
  size.add(nodeWeight);
  size.nest(depth);
  if (isMap(value)) {
    if (isNilMap(value)) return value;
    const entries = Array.from(value, ([key, element]) => [key, copy(element, size, depth + 1)] as const);
    return value instanceof NamedMap ? value.like(entries) : new Map(entries);
  }
  if (value instanceof Slice && value.isNil) return new Slice(value.element, null);
  if (isList(value)) {
    const items = Array.from(value, (item) => copy(item, size, depth + 1));
    return withCapacityOf(value instanceof Slice ? new Slice(value.element, items) : items, value);
  }
  if (value instanceof Uint8Array) return value.slice();
  if (value instanceof Version) return new Version(parseVersion('0.0.0'), value.kind === 'ptr');
  return value;
}

/** Throws Go's panic for an assignment to a nil map. */
function checkWritable(map: ValueMap): void {
  if (isNilMap(map)) throw new GoError('assignment to entry in nil map');
}

/** Reports whether this is Go's nil map. */
function isNilMap(map: ReadonlyMap<string, Value>): boolean {
  return map instanceof NamedMap && map.isNil;
}

const deepestNesting = 1000;

/** A merge that mergo rejects. */
class MergeError extends GoError {
  override readonly name: string = 'MergeError';
}

/**
 * Merges a map into another as mergo does. Values of `source` fill keys that are missing or empty
 * (nil, false, 0, no elements) in `target`; with `overwrite` they replace all. Maps on both sides
 * are merged recursively; other values are shared.
 */
function mergeInto(target: ValueMap, source: ReadonlyMap<string, Value>, overwrite: boolean): void {
  merge(target, source, overwrite, 0, new TextSize());
}

function merge(
  target: ValueMap,
  source: ReadonlyMap<string, Value>,
  overwrite: boolean,
  depth: number,
  size: TextSize,
): void {
  size.add(nodeWeight * source.size);
  if (depth > deepestNesting) throw new MergeError('maps are nested too deeply to be merged');
  for (const [key, value] of source) {
    const present = target.get(key);
    if (value === null) {
      if (overwrite) put(target, source, key, value);
      continue;
    }
    const bothMaps = isMap(value) && isMap(present);
    if (bothMaps) {
      // values that `set` may change in place may also be merged in place
      merge(present as ValueMap, value, overwrite, depth + 1, size);
    } else if (!overwrite && isPointer(present) && isMapOrStruct(value)) {
      throw new MergeError('src and dst must be of same type');
    }
    if (present === undefined || isEmpty(present) || (overwrite && !bothMaps)) put(target, source, key, value);
  }
}

function put(target: ValueMap, source: ReadonlyMap<string, Value>, key: string, value: Value): void {
  const [to, from] = [elementType(target), elementType(source)];
  if (to !== from && !acceptsAnyValue(to)) {
    throw new GoError(`reflect.Value.SetMapIndex: value of type ${from} is not assignable to type ${to}`);
  }
  target.set(key, value);
}

function isPointer(value: Value | undefined): boolean {
  return value instanceof GoObject && value.kind === 'ptr';
}

function isMapOrStruct(value: Value): boolean {
  return isMap(value) || (value instanceof GoObject && value.kind === 'struct');
}
