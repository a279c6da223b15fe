import { NamedMap, type Value, type ValueMap } from '../go/value.ts';

/**
 * The same map under another Go type: what is set through one is seen through the other, as after a type conversion in Go.
 * A subchart's `.Values` is its parent's `.Values.NAME` in this way.
 */
export function viewAs(goType: string, map: ValueMap): ValueMap {
  return new MapView(goType, map);
}

class MapView extends NamedMap {
  readonly #map: ValueMap;

  constructor(goType: string, map: ValueMap) {
    super(goType);
    this.#map = map;
  }

  override get size(): number {
    return this.#map.size;
  }

  override get(key: string): Value | undefined {
    return this.#map.get(key);
  }

  override has(key: string): boolean {
    return this.#map.has(key);
  }

  override set(key: string, value: Value): this {
    this.#map.set(key, value);
    return this;
  }

  override delete(key: string): boolean {
    return this.#map.delete(key);
  }

  override clear(): void {
    this.#map.clear();
  }

  override keys(): MapIterator<string> {
    return this.#map.keys();
  }

  override values(): MapIterator<Value> {
    return this.#map.values();
  }

  override entries(): MapIterator<[string, Value]> {
    return this.#map.entries();
  }

  override [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.#map[Symbol.iterator]();
  }

  override forEach(callback: (value: Value, key: string, map: Map<string, Value>) => void): void {
    this.#map.forEach((value, key) => callback(value, key, this));
  }
}
