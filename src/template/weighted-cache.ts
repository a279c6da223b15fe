import { LRUCache } from 'lru-cache';

/** A cache that drops the least recently used entries when the total weight exceeds a limit. */
export interface WeightedCache<T> {
  get(key: string): T | undefined;
  /** Adds or replaces an entry. An entry heavier than the limit is kept alone. */
  set(key: string, value: T, weight: number): void;
}

export function createWeightedCache<T extends object>(maxWeight: number): WeightedCache<T> {
  const entries = new LRUCache<string, T>({ maxSize: maxWeight });
  return {
    get: (key) => entries.get(key),
    set(key, value, weight) {
      // LRUCache ignores entries larger than `maxSize`, and rejects a size of 0
      entries.set(key, value, { size: Math.max(1, Math.min(weight, maxWeight)) });
    },
  };
}
