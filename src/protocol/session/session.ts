import { ackSchema, type Resume, type SeriesPosition } from '../messages.ts';
import { encodePacket, type Packet } from '../packet.ts';
import { decodePayload } from '../payload.ts';
import type { Outbox } from './outbox.ts';

/** The part of a WebSocket that a session needs. */
export interface SessionSocket {
  readonly readyState: number;
  readonly OPEN: number;
  send(text: string, done: () => void): void;
  ping(data: string): void;
}

export interface SessionOptions<Item> {
  /** Id of the series in which this end numbers its packets. */
  epoch: string;
  outbox: Outbox<Item>;
  /** Returns the text of a frame; undefined if the form of the connection has no such packet. */
  encode: (item: Item, seq: number) => string | undefined;
}

/** UTF-16 units that a socket may have to write; further packets wait in the outbox. */
const maxUnwritten = 1024 * 1024;

/** Time after which a peer that sends no acknowledgements is asked to confirm by a pong. */
const confirmAfterMs = 100;

/** Time for which received packets are acknowledged together. */
const acknowledgeAfterMs = 50;

/** Time to wait for the greeting of a peer that has resumed before. */
const greetingTimeoutMs = 5000;

interface Link {
  socket: SessionSocket;
  unwritten: number;
  /** Whether packets wait for the greeting of the peer, which says what it already has. */
  isHeld: boolean;
  /** Whether an acknowledgement waits to be written; the next one says what it would. */
  isAcknowledging: boolean;
}

/**
 * The packets between two ends across their connections. A peer that takes part acknowledges what
 * it has stored, and says in its greeting how far that is. One that does not confirms everything
 * that was sent before a ping by its pong. What is not confirmed is sent again on the next
 * connection.
 */
export class Session<Item> {
  readonly #options: SessionOptions<Item>;
  readonly #inbox = new Inbox();
  readonly #whenEmpty: (() => void)[] = [];
  #link: Link | undefined;
  #acknowledges = false;
  #timers: { confirmation?: NodeJS.Timeout; acknowledgement?: NodeJS.Timeout; greeting?: NodeJS.Timeout } = {};

  constructor(options: SessionOptions<Item>) {
    this.#options = options;
  }

  /** The fields of this end's greeting. */
  get resume(): Resume {
    const { position } = this.#inbox;
    const { epoch, outbox } = this.#options;
    return { epoch, acknowledged: outbox.confirmed, ...(position && { received: position }) };
  }

  /** Whether the peer continues a series of which nothing is missing here. */
  continues({ epoch, acknowledged }: Resume): boolean {
    const { position } = this.#inbox;
    return position?.epoch === epoch && acknowledged <= position.seq;
  }

  /**
   * Sends over a socket from now on. With `hold`, waits for `greet` if the last peer took part.
   */
  attach(socket: SessionSocket, { hold = false } = {}): void {
    this.#release();
    this.#link = { socket, unwritten: 0, isHeld: hold && this.#acknowledges, isAcknowledging: false };
    if (this.#link.isHeld) this.#timers.greeting = setTimeout(() => this.greet(undefined), greetingTimeoutMs);
    this.#pump();
  }

  /** Ends the use of a socket. Has no effect if another one is used. */
  detach(socket: SessionSocket): void {
    if (this.#link?.socket === socket) this.#release();
  }

  #release(): void {
    this.#link = undefined;
    for (const timer of Object.values(this.#timers)) clearTimeout(timer);
    this.#timers = {};
    this.#options.outbox.rewind();
  }

  /** Takes what a peer says in its greeting; undefined if it does not take part. */
  greet(resume: Resume | undefined): void {
    this.#acknowledges = resume !== undefined;
    if (resume) {
      this.#inbox.begin(resume.epoch);
      const { received } = resume;
      if (received?.epoch === this.#options.epoch) this.#confirm(received.seq);
    }
    clearTimeout(this.#timers.greeting);
    if (this.#link) this.#link.isHeld = false;
    this.#pump();
  }

  push(item: Item): void {
    this.#options.outbox.push(item);
    this.#pump();
  }

  /**
   * Whether a packet is to be handled: neither an acknowledgement nor one that was received before.
   * Call `stored` with its number when it will not be lost any more.
   */
  take({ type, seq, payload }: Packet): boolean {
    if (this.#link?.isHeld) this.greet(undefined);
    if (type === 'ack') {
      this.#confirm(decodePayload(ackSchema, payload).seq);
      return false;
    }
    if (seq === undefined || !this.#acknowledges) return true;
    const isNew = this.#inbox.take(seq);
    if (!isNew) this.#acknowledge();
    return isNew;
  }

  stored(seq: number | undefined): void {
    if (seq === undefined || !this.#acknowledges) return;
    this.#inbox.store(seq);
    this.#acknowledge();
  }

  /** Handles the data of a pong. */
  pong(data: string): void {
    const mark = Number(data);
    if (!this.#acknowledges && Number.isSafeInteger(mark)) this.#confirm(mark);
  }

  /** Waits until the peer has confirmed everything, at most for the given time. */
  async delivered(withinMs: number): Promise<void> {
    if (this.#options.outbox.isEmpty) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#whenEmpty.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #confirm(seq: number): void {
    const { outbox } = this.#options;
    outbox.confirm(seq);
    if (!outbox.isEmpty) return;
    for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  #pump(): void {
    const link = this.#link;
    if (!link || link.isHeld) return;
    const { outbox, encode } = this.#options;
    while (link.unwritten < maxUnwritten) {
      const entry = outbox.take();
      if (!entry) break;
      const text = encode(entry.item, entry.seq);
      if (text !== undefined) this.#send(link, text);
    }
    if (!outbox.isEmpty && !this.#acknowledges) this.#askToConfirm(link);
  }

  #send(link: Link, text: string, onWritten: () => void = () => undefined): void {
    link.unwritten += text.length;
    link.socket.send(text, () => {
      // After an error the socket closes, and what was not confirmed is sent again.
      link.unwritten -= text.length;
      onWritten();
      if (this.#link === link) this.#pump();
    });
  }

  #askToConfirm({ socket }: Link): void {
    this.#timers.confirmation ??= setTimeout(() => {
      delete this.#timers.confirmation;
      if (socket.readyState === socket.OPEN) socket.ping(String(this.#options.outbox.mark));
    }, confirmAfterMs);
  }

  #acknowledge(): void {
    const link = this.#link;
    if (!link) return;
    this.#timers.acknowledgement ??= setTimeout(() => {
      delete this.#timers.acknowledgement;
      if (link.isAcknowledging) this.#acknowledge();
      else this.#sendAcknowledgement(link);
    }, acknowledgeAfterMs);
  }

  #sendAcknowledgement(link: Link): void {
    const { seq = 0 } = this.#inbox.position ?? {};
    if (link.socket.readyState !== link.socket.OPEN) return;
    link.isAcknowledging = true;
    this.#send(link, encodePacket({ type: 'ack', payload: JSON.stringify({ seq }) }), () => {
      link.isAcknowledging = false;
    });
  }
}

/** How far the numbered packets of a peer have been received. */
class Inbox {
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
