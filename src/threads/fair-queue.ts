/** A name, or a symbol for an owner of one item only. */
export type Owner = string | symbol;

interface Waiting<Item> {
  owner: Owner;
  item: Item;
}

/** Items that wait for a turn, each on behalf of an owner. */
export interface FairQueue<Item> {
  push(owner: Owner, item: Item): void;
  /**
   * Removes and returns the next item: of the owner with the fewest running items, the first come.
   * Owners at `most` or above are passed over. Returns undefined if no item may run.
   */
  next(running: ReadonlyMap<Owner, number>, most: number): Waiting<Item> | undefined;
  /** Removes an item that no longer waits. */
  remove(item: Item): void;
  readonly size: number;
}

/** Returns an empty queue. */
export function createFairQueue<Item>(): FairQueue<Item> {
  const waiting: Waiting<Item>[] = [];

  return {
    push: (owner, item) => waiting.push({ owner, item }),
    next(running, most) {
      let best = -1;
      let fewest = most;
      for (const [index, { owner }] of waiting.entries()) {
        const count = running.get(owner) ?? 0;
        if (count >= fewest) continue;
        best = index;
        fewest = count;
      }
      return best === -1 ? undefined : waiting.splice(best, 1)[0];
    },
    remove(item) {
      const index = waiting.findIndex((entry) => entry.item === item);
      if (index !== -1) waiting.splice(index, 1);
    },
    get size() {
      return waiting.length;
    },
  };
}
