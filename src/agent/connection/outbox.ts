import type { Reply } from '../commands/reply.ts';

interface Entry {
  id: number;
  reply: Reply;
}

/**
 * Replies in the order in which they were said, until the peer is known to have them. Results and acceptances are never dropped; of status packets
 * the oldest beyond `maxStatuses` is, which shows as a gap in their `seq`.
 */
export class Outbox {
  readonly #maxStatuses: number;
  #entries: Entry[] = [];
  #sent = 0;
  #lastId = 0;
  #statuses = 0;
  #dropped = 0;

  constructor(maxStatuses: number) {
    this.#maxStatuses = maxStatuses;
  }

  /** How many status packets were dropped since `forgetDropped`. */
  get dropped(): number {
    return this.#dropped;
  }

  forgetDropped(): void {
    this.#dropped = 0;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  push(reply: Reply): void {
    this.#entries.push({ id: ++this.#lastId, reply });
    if (reply.kind !== 'status') return;
    this.#statuses++;
    if (this.#statuses > this.#maxStatuses) this.#dropOldestStatus();
  }

  /** The next reply to send, which then counts as sent. */
  take(): Reply | undefined {
    const entry = this.#entries[this.#sent];
    if (entry) this.#sent++;
    return entry?.reply;
  }

  /** Names all that is sent by now, for `confirm`. */
  get mark(): number {
    return this.#entries[this.#sent - 1]?.id ?? 0;
  }

  /** The peer has all that was sent up to the mark. */
  confirm(mark: number): void {
    let confirmed = 0;
    while (confirmed < this.#sent && (this.#entries[confirmed]?.id ?? Infinity) <= mark) confirmed++;
    const gone = this.#entries.splice(0, confirmed);
    this.#sent -= confirmed;
    this.#statuses -= gone.filter(({ reply }) => reply.kind === 'status').length;
  }

  /** The connection is lost: what was not confirmed is to be sent again. */
  rewind(): void {
    this.#sent = 0;
  }

  clear(): void {
    this.#entries = [];
    this.#sent = 0;
    this.#statuses = 0;
  }

  #dropOldestStatus(): void {
    const index = this.#entries.findIndex(({ reply }) => reply.kind === 'status');
    this.#entries.splice(index, 1);
    if (index < this.#sent) this.#sent--;
    this.#statuses--;
    this.#dropped++;
  }
}
