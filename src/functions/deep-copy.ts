import { parseVersion, Version } from '../go/semver.ts';
import { isMap } from '../go/types.ts';
import { GoError, NamedMap, Slice, type Value } from '../go/value.ts';

/** A copy whose maps and lists are shared with nothing, as `copystructure.Copy` makes it: of a version it sees no field. */
export function deepCopy(value: Value): Value {
  if (value === null) throw new GoError('reflect: call of reflect.Value.Type on zero Value');
  return copy(value);
}

function copy(value: Value): Value {
  if (value === null || typeof value !== 'object') return value;
  if (isMap(value)) {
    const map = value instanceof NamedMap ? new NamedMap(value.goType) : new Map<string, Value>();
    for (const [key, element] of value) map.set(key, copy(element));
    return map;
  }
  if (value instanceof Slice) return new Slice(value.element, value.isNil ? null : value.map(copy));
  if (Array.isArray(value)) return value.map(copy);
  if (value instanceof Uint8Array) return value.slice();
  if (value instanceof Version) return new Version(parseVersion('0.0.0'), value.kind === 'ptr');
  return value;
}
