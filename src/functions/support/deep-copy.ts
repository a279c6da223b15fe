import { nodeWeight, TextSize } from '../../go/limit-error.ts';
import { parseVersion, Version } from '../../go/semver.ts';
import { isList, isMap } from '../../go/types.ts';
import { GoError, NamedMap, Slice, type Value } from '../../go/value.ts';
import { withCapacityOf } from './capacity.ts';
import { isNilMap } from './nil-map.ts';

/** Returns a deep copy, as `copystructure.Copy` does: the copy of a version has no fields set. */
export function deepCopy(value: Value): Value {
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
