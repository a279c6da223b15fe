interface Entry<Item> {
  seq: number;
  item: Item;
}

/** The nature of the items of an outbox. */
export interface OutboxOptions<Item> {
  /** Returns the size of an item in UTF-16 units. */
  lengthOf: (item: Item) => number;
  /**
   * Returns the name of the state that an item reports, so that a newer report can replace it.
   * Undefined if the item has to arrive. Default: all items have to.
   */
  stateOf?: (item: Item) => string | undefined;
  /** Returns one report of a state in place of two. */
  merge?: (older: Item, newer: Item) => Item;
  /** Number of reports that are kept apart; beyond it the oldest are merged. Default: no limit. */
  maxReports?: number;
  /** Whether an item may be dropped if the peer is slow. Default: none may. */
  isDroppable?: (item: Item) => boolean;
  /**
   * UTF-16 units of items that may be dropped; beyond it the oldest are. Default: no limit.
   */
  maxDroppable?: number;
}

/**
 * Numbers the packets for a peer from 1, and keeps them in their order until the peer has confirmed
 * them. If too many reports of states wait, the oldest ones become part of the next report of the
 * same state. Of the items that may be dropped, only the newest are kept. Nothing else is left out.
 */
export class Outbox<Item> {
  readonly #options: OutboxOptions<Item>;
  readonly #entries: Entry<Item>[] = [];
  /** Number of the newest report of each state. */
  readonly #newest = new Map<string, number>();
  #sent = 0;
  /** Number of the newest item that was ever sent. */
  #mark = 0;
  #length = 0;
  #lastSeq = 0;
  #confirmed = 0;
  #reports = 0;
  /** UTF-16 units of items that may be dropped. */
  #droppable = 0;
  #merged = 0;

  constructor(options: OutboxOptions<Item>) {
    this.#options = options;
  }

  /** Number of reports that became part of others since `forgetMerged`. */
  get merged(): number {
    return this.#merged;
  }

  forgetMerged(): void {
    this.#merged = 0;
  }

  /** Total length of all items, in UTF-16 units. */
  get length(): number {
    return this.#length;
  }

  /** Number of items. */
  get count(): number {
    return this.#entries.length;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Number of the last item that was confirmed. */
  get confirmed(): number {
    return this.#confirmed;
  }

  push(item: Item): void {
    const seq = ++this.#lastSeq;
    this.#entries.push({ seq, item });
    this.#length += this.#options.lengthOf(item);
    if (this.#options.isDroppable?.(item) === true) this.#limitDroppable(this.#options.lengthOf(item));
    const state = this.#options.stateOf?.(item);
    if (state === undefined) return;
    this.#newest.set(state, seq);
    this.#reports++;
    if (this.#reports > (this.#options.maxReports ?? Infinity)) this.#mergeOldestReport();
  }

  /** Returns the next item to send, and counts it as sent. */
  take(): Entry<Item> | undefined {
    const entry = this.#entries[this.#sent];
    if (!entry) return undefined;
    this.#sent++;
    this.#mark = Math.max(this.#mark, entry.seq);
    return entry;
  }

  /** Number of the last item that was sent on this connection, for `confirm`. */
  get mark(): number {
    return this.#entries[this.#sent - 1]?.seq ?? this.#confirmed;
  }

  /** Removes the items up to a number, if they were sent: the peer has them. */
  confirm(seq: number): void {
    this.#remove(Math.min(seq, this.#mark));
  }

  /** Makes the items that are not confirmed unsent, because the connection is lost. */
  rewind(): void {
    this.#sent = 0;
  }

  clear(): void {
    this.#remove(this.#lastSeq);
  }

  #remove(upTo: number): void {
    let count = 0;
    while ((this.#entries[count]?.seq ?? Infinity) <= upTo) count++;
    const removed = this.#entries.splice(0, count);
    this.#sent = Math.max(0, this.#sent - count);
    this.#confirmed = Math.max(this.#confirmed, upTo);
    for (const entry of removed) this.#subtract(entry);
  }

  #subtract({ seq, item }: Entry<Item>): void {
    this.#length -= this.#options.lengthOf(item);
    if (this.#options.isDroppable?.(item) === true) this.#droppable -= this.#options.lengthOf(item);
    const state = this.#options.stateOf?.(item);
    if (state === undefined) return;
    this.#reports--;
    if (this.#newest.get(state) === seq) this.#newest.delete(state);
  }

  #limitDroppable(added: number): void {
    const { isDroppable = () => false, maxDroppable = Infinity } = this.#options;
    this.#droppable += added;
    while (this.#droppable > maxDroppable) {
      const index = this.#entries.findIndex(({ item }) => isDroppable(item));
      const [dropped] = this.#entries.splice(index, 1);
      if (index < this.#sent) this.#sent--;
      if (dropped) this.#subtract(dropped);
    }
  }

  /** Merges the oldest report that has a newer one into the next one of its state. */
  #mergeOldestReport(): void {
    const { stateOf = () => undefined, merge = keepNewer, lengthOf } = this.#options;
    const isReplaceable = ({ seq, item }: Entry<Item>) => {
      const state = stateOf(item);
      return state !== undefined && this.#newest.get(state) !== seq;
    };
    const index = this.#entries.findIndex(isReplaceable);
    const older = this.#entries[index];
    if (!older) return;
    const state = stateOf(older.item);
    const next = this.#entries.find(({ seq, item }) => seq > older.seq && stateOf(item) === state);
    if (!next) return;
    this.#entries.splice(index, 1);
    if (index < this.#sent) this.#sent--;
    this.#subtract(older);
    this.#length -= lengthOf(next.item);
    next.item = merge(older.item, next.item);
    this.#length += lengthOf(next.item);
    this.#merged++;
  }
}

function keepNewer<Item>(_older: Item, newer: Item): Item {
  return newer;
}
