/** Counts the maps, lists and scalars of plain data. */
export interface NodeCounter {
  /** Adds the nodes of a value and returns the total. Stops counting at the limit. */
  add(value: unknown): number;
}

/** Throws what `exceeded` returns when more than `most` nodes were added. */
export function createNodeCounter(most: number, exceeded: () => Error): NodeCounter {
  let count = 0;

  function add(value: unknown): void {
    count++;
    if (count > most) throw exceeded();
    if (typeof value !== 'object' || value === null) return;
    for (const child of Object.values(value)) add(child);
  }

  return {
    add(value) {
      add(value);
      return count;
    },
  };
}
