import type { Reply } from '../router/reply.ts';

interface Entry {
  id: number;
  reply: Reply;
}

/**
 * Keeps replies in their order until the peer has confirmed them. Results and acceptances are never
 * dropped. If more than `maxStatuses` status packets wait, the oldest is dropped, which leaves a
 * gap in their `seq`.
 */
export class Outbox {
  readonly #maxStatuses: number;
  #entries: Entry[] = [];
  #sent = 0;
  #length = 0;
  #lastId = 0;
  #statuses = 0;
  #dropped = 0;

  constructor(maxStatuses: number) {
    this.#maxStatuses = maxStatuses;
  }

  /** Number of status packets that were dropped since `forgetDropped`. */
  get dropped(): number {
    return this.#dropped;
  }

  forgetDropped(): void {
    this.#dropped = 0;
  }

  /** Total length of the payloads of all replies, in UTF-16 units. */
  get length(): number {
    return this.#length;
  }

  /** Number of replies. */
  get count(): number {
    return this.#entries.length;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  push(reply: Reply): void {
    this.#entries.push({ id: ++this.#lastId, reply });
    this.#length += reply.payload.length;
    if (reply.kind !== 'status') return;
    this.#statuses++;
    if (this.#statuses > this.#maxStatuses) this.#dropOldestStatus();
  }

  /** Returns the next reply to send, and counts it as sent. */
  take(): Reply | undefined {
    const entry = this.#entries[this.#sent];
    if (entry) this.#sent++;
    return entry?.reply;
  }

  /** Marks everything that has been sent so far, for `confirm`. */
  get mark(): number {
    return this.#entries[this.#sent - 1]?.id ?? 0;
  }

  /** Removes the replies that were sent up to the mark: the peer has them. */
  confirm(mark: number): void {
    let confirmed = 0;
    while (confirmed < this.#sent && (this.#entries[confirmed]?.id ?? Infinity) <= mark) confirmed++;
    const removed = this.#entries.splice(0, confirmed);
    this.#sent -= confirmed;
    for (const { reply } of removed) this.#length -= reply.payload.length;
    this.#statuses -= removed.filter(({ reply }) => reply.kind === 'status').length;
  }

  /** Makes the replies that are not confirmed unsent, because the connection is lost. */
  rewind(): void {
    this.#sent = 0;
  }

  clear(): void {
    this.#entries = [];
    this.#sent = 0;
    this.#length = 0;
    this.#statuses = 0;
  }

  #dropOldestStatus(): void {
    const index = this.#entries.findIndex(({ reply }) => reply.kind === 'status');
    const [dropped] = this.#entries.splice(index, 1);
    this.#length -= dropped?.reply.payload.length ?? 0;
    if (index < this.#sent) this.#sent--;
    this.#statuses--;
    this.#dropped++;
  }
}
