import { GoError, NamedMap, type Value, type ValueMap } from '../../go/value.ts';

/** Throws Go's panic for an assignment to a nil map. */
export function checkWritable(map: ValueMap): void {
  if (isNilMap(map)) throw new GoError('assignment to entry in nil map');
}

/** Reports whether this is Go's nil map. */
export function isNilMap(map: ReadonlyMap<string, Value>): boolean {
  return map instanceof NamedMap && map.isNil;
}
