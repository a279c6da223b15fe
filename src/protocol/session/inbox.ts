import type { SeriesPosition } from '../messages.ts';

/** How far the numbered packets of a peer have been received. */
export class Inbox {
  #epoch: string | undefined;
  #taken = 0;
  #stored = 0;

  /** Continues the peer's series, or starts to follow another one. */
  begin(epoch: string): void {
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#taken = 0;
    this.#stored = 0;
  }

  /** Whether a packet is new. It is not if it was sent again, or if an older connection is late. */
  take(seq: number): boolean {
    if (seq <= this.#taken) return false;
    this.#taken = seq;
    return true;
  }

  /** Notes that the packets up to a number will not be lost any more. */
  store(seq: number): void {
    this.#stored = Math.max(this.#stored, seq);
  }

  /** The position up to which packets are stored; undefined if the peer has no series yet. */
  get position(): SeriesPosition | undefined {
    return this.#epoch === undefined ? undefined : { epoch: this.#epoch, seq: this.#stored };
  }
}
