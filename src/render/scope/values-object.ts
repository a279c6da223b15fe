import { viewAs } from '../../go/map-view.ts';
import { quote } from '../../go/strconv.ts';
import { GoError, type GoFunction, type Value, type ValueMap } from '../../go/value.ts';
import { writeYaml } from '../../yaml/write.ts';

/**
 * Returns a view of a map as Helm's `common.Values`, with its methods (pkg/chart/common/values.go).
 */
export function valuesObject(map: ValueMap): ValueMap {
  return viewAs('common.Values', map, method);
}

function method(name: string, map: ValueMap): GoFunction | undefined {
  switch (name) {
    case 'AsMap':
      return { params: [], call: () => map };
    case 'YAML':
      return { params: [], call: () => writeYaml(map) };
    case 'Table':
      return { params: ['string'], call: (path: string) => valuesObject(tableAt(map, path.split('.'))) };
    case 'PathValue':
      return { params: ['string'], call: (path: string) => valueAt(map, path) };
    default:
      return undefined;
  }
}

function tableAt(map: ValueMap, path: readonly string[]): ValueMap {
  return path.reduce((table, key) => {
    const next = table.get(key);
    // maps of values can be written to: see ADR 0001
    if (next instanceof Map) return next as ValueMap;
    throw new GoError(`${quote(key)} is not a table`);
  }, map);
}

function valueAt(map: ValueMap, path: string): Value {
  if (path === '') throw new GoError('YAML path cannot be empty');
  const keys = path.split('.');
  const key = keys.pop() ?? '';
  let value: Value | undefined;
  try {
    value = tableAt(map, keys).get(key);
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
  }
  if (value === undefined || value instanceof Map) throw new GoError(`${quote(key)} is not a value`);
  return value;
}
