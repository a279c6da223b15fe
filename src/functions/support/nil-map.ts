import { GoError, NamedMap, type Value, type ValueMap } from '../../go/value.ts';

/** Throws what Go panics with where a nil map is written to. */
export function checkWritable(map: ValueMap): void {
  if (isNilMap(map)) throw new GoError('assignment to entry in nil map');
}

/** Whether it is Go's nil map. */
export function isNilMap(map: ReadonlyMap<string, Value>): boolean {
  return map instanceof NamedMap && map.isNil;
}
