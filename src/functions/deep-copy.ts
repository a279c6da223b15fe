import { parseVersion, Version } from '../go/semver.ts';
import { isMap } from '../go/types.ts';
import { GoError, NamedMap, Slice, type Value } from '../go/value.ts';
import { isNilMap } from './nil-map.ts';

/** A copy whose maps and lists are shared with nothing, as `copystructure.Copy` makes it: of a version it sees no field. */
export function deepCopy(value: Value): Value {
  if (value === null) throw new GoError('reflect: call of reflect.Value.Type on zero Value');
  return copy(value);
}

function copy(value: Value): Value {
  if (value === null || typeof value !== 'object') return value;
  if (isMap(value)) {
    if (isNilMap(value)) return value;
    const entries = Array.from(value, ([key, element]) => [key, copy(element)] as const);
    return value instanceof NamedMap ? value.like(entries) : new Map(entries);
  }
  if (value instanceof Slice) return new Slice(value.element, value.isNil ? null : value.map(copy));
  if (Array.isArray(value)) return value.map(copy);
  if (value instanceof Uint8Array) return value.slice();
  if (value instanceof Version) return new Version(parseVersion('0.0.0'), value.kind === 'ptr');
  return value;
}
