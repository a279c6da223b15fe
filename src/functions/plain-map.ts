import { GoError, NamedMap, type Value, type ValueMap } from '../go/value.ts';

/**
 * A map as `map[string]interface {}`: Go converts a `common.Values` when a function takes it for one, and both share what they hold.
 */
export function plainMap(map: ValueMap): ValueMap {
  return map instanceof NamedMap && !map.goType.startsWith('map[') ? new MapView(map) : map;
}

/** Throws what Go panics with where a nil map is written to. */
export function checkWritable(map: ValueMap): void {
  if (isNilMap(map)) throw new GoError('assignment to entry in nil map');
}

/** Whether it is Go's nil map. */
export function isNilMap(map: ReadonlyMap<string, Value>): boolean {
  return map instanceof NamedMap && map.isNil;
}

/** A map without entries of its own: all it does, it does to another. */
class MapView extends Map<string, Value> {
  private readonly target: ValueMap;

  constructor(target: ValueMap) {
    super();
    this.target = target;
  }

  override get size(): number {
    return this.target.size;
  }

  override get(key: string): Value | undefined {
    return this.target.get(key);
  }

  override has(key: string): boolean {
    return this.target.has(key);
  }

  override set(key: string, value: Value): this {
    this.target.set(key, value);
    return this;
  }

  override delete(key: string): boolean {
    return this.target.delete(key);
  }

  override clear(): void {
    this.target.clear();
  }

  override forEach(visit: (value: Value, key: string, map: ValueMap) => void): void {
    this.target.forEach((value, key) => visit(value, key, this));
  }

  override keys(): MapIterator<string> {
    return this.target.keys();
  }

  override values(): MapIterator<Value> {
    return this.target.values();
  }

  override entries(): MapIterator<[string, Value]> {
    return this.target.entries();
  }

  override [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }
}
