import { nodeWeight, TextSize } from '../../go/limit-error.ts';
import { isMap } from '../../go/types.ts';
import { GoError, GoObject, type Value, type ValueMap } from '../../go/value.ts';
import { elementType, acceptsAnyValue } from '../../template/execute/argument-type.ts';
import { isEmpty } from './emptiness.ts';

const deepestNesting = 1000;

/** A merge that mergo rejects. */
export class MergeError extends GoError {
  override readonly name: string = 'MergeError';
}

/**
 * Merges a map into another as mergo does. Values of `source` fill keys that are missing or empty
 * (nil, false, 0, no elements) in `target`; with `overwrite` they replace all. Maps on both sides
 * are merged recursively; other values are shared.
 */
export function mergeInto(target: ValueMap, source: ReadonlyMap<string, Value>, overwrite: boolean): void {
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
