import { type GoFunction, NamedMap, type Value, type ValueMap } from './value.ts';

/** Returns a method of a map's type by name; `map` is the receiver. */
export type MapMethods = (name: string, map: ValueMap) => GoFunction | undefined;

/**
 * Returns a view of the map as another Go type: changes through one are visible through the other,
 * as after a type conversion in Go. For example, a subchart's `.Values` is a view of its parent's
 * `.Values.NAME`.
 */
export function viewAs(goType: string, map: ValueMap, methods?: MapMethods): NamedMap {
  return new MapView(goType, underlying(map), methods);
}

/**
 * Returns the map as `map[string]interface {}`, as Go converts a `common.Values` argument. Both
 * share their contents.
 */
export function plainMap(map: ValueMap): ValueMap {
  if (!(map instanceof NamedMap) || map.goType.startsWith('map[')) return map;
  const plain = underlying(map);
  return plain instanceof NamedMap ? viewAs('map[string]interface {}', plain) : plain;
}

function underlying(map: ValueMap): ValueMap {
  return map instanceof MapView ? map.target : map;
}

/** A map that delegates to another map. */
class MapView extends NamedMap {
  readonly target: ValueMap;
  readonly #methods: MapMethods | undefined;

  constructor(goType: string, target: ValueMap, methods: MapMethods | undefined) {
    super(goType);
    this.target = target;
    this.#methods = methods;
  }

  override method(name: string): GoFunction | undefined {
    return this.#methods?.(name, this.target);
  }

  override like(entries: Iterable<readonly [string, Value]>): NamedMap {
    return new MapView(this.goType, new Map(entries), this.#methods);
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
    return this.target[Symbol.iterator]();
  }

  override forEach(visit: (value: Value, key: string, map: ValueMap) => void): void {
    this.target.forEach((value, key) => visit(value, key, this));
  }
}
