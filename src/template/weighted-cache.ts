/** Keeps what was used last, as much as weighs no more than a limit. */
export interface WeightedCache<T> {
  get(key: string): T | undefined;
  /** Keeps it, though it alone may weigh more than the limit. */
  set(key: string, value: T, weight: number): void;
}

export function createWeightedCache<T>(maxWeight: number): WeightedCache<T> {
  const entries = new Map<string, { readonly value: T; readonly weight: number }>();
  let total = 0;

  function remove(key: string): void {
    total -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, weight) {
      remove(key);
      for (const oldest of entries.keys()) {
        if (total + weight <= maxWeight) break;
        remove(oldest);
      }
      entries.set(key, { value, weight });
      total += weight;
    },
  };
}
