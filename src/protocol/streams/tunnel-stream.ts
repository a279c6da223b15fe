import { Duplex } from 'node:stream';
import { maxDataBytes, type StreamFrame } from './frame.ts';
import { StreamError } from './stream-error.ts';

/** Bytes that the other end may send before they are read here. */
export const windowBytes = 512 * 1024;

/** The part of a tunnel that its streams use. */
export interface StreamLink {
  /** Sends a frame as soon as possible. */
  send(frame: StreamFrame): void;
  /** Says that the stream has data that it may send. */
  onReady(stream: TunnelStream): void;
  /** Forgets a stream that has ended. */
  forget(id: number): void;
}

interface PendingWrite {
  /** Joined by the frame that has them. */
  parts: Buffer[];
  done: (error?: Error | null) => void;
}

/**
 * One stream of a tunnel: what one end writes, the other one reads. Each end may send as many bytes
 * as the other one has allowed, and an end allows more when it reads. So at most `windowBytes` wait
 * to be read. Destroying a stream resets it at the other end.
 */
export class TunnelStream extends Duplex {
  readonly id: number;
  readonly #link: StreamLink;
  #write: PendingWrite | undefined;
  /** Bytes that this end may send. */
  #credit = 0;
  /** Bytes that the other end may send. */
  #granted = 0;
  /** Lengths of the data that wait to be read: of frames, or of small frames together. */
  readonly #lengths: number[] = [];
  #hasReceived = false;
  #isConnected = true;
  readonly #hasEnded = { here: false, there: false };

  constructor(id: number, link: StreamLink) {
    super({ readableHighWaterMark: windowBytes, writableHighWaterMark: maxDataBytes });
    this.id = id;
    this.#link = link;
  }

  /** Whether the stream has data that it may send. */
  get isReady(): boolean {
    return this.#write !== undefined && this.#credit > 0 && !this.destroyed;
  }

  /** Whether bytes have arrived, which the other end only sends after this one has given credit. */
  get hasReceived(): boolean {
    return this.#hasReceived;
  }

  /** Returns the next data to send, in parts. Call `onSent` when it was sent. */
  nextData(): { parts: Buffer[]; onSent: () => void } | undefined {
    const write = this.#write;
    if (!write || !this.isReady) return undefined;
    const parts: Buffer[] = [];
    let room = Math.min(this.#credit, maxDataBytes);
    this.#credit -= room;
    while (room > 0) {
      const [first] = write.parts;
      if (!first) break;
      const part = first.subarray(0, room);
      parts.push(part);
      room -= part.length;
      if (part.length === first.length) write.parts.shift();
      else write.parts[0] = first.subarray(part.length);
    }
    this.#credit += room;
    const isLast = write.parts.length === 0;
    if (isLast) this.#write = undefined;
    return { parts, onSent: () => isLast && write.done() };
  }

  /** Handles a frame of the other end. Throws `StreamError` `protocol`. */
  receive(frame: Exclude<StreamFrame, { type: 'open' }>): void {
    switch (frame.type) {
      case 'data': {
        if (frame.bytes.length > this.#granted) throw new StreamError('protocol', 'a stream sent more than allowed');
        this.#granted -= frame.bytes.length;
        this.#hasReceived ||= frame.bytes.length > 0;
        const before = this.readableLength;
        this.push(frame.bytes);
        // a stream with listeners may have passed it on already
        this.#countReceived(this.readableLength - before);
        this.#grant();
        return;
      }
      case 'credit': {
        this.#credit += frame.bytes;
        if (this.isReady) this.#link.onReady(this);
        return;
      }
      case 'end': {
        this.#hasEnded.there = true;
        this.push(null);
        return;
      }
      case 'reset': {
        this.#isConnected = false;
        this.destroy(new StreamError('reset', frame.message, frame.code));
      }
    }
  }

  /** Ends the stream because the connection is lost. */
  disconnect(): void {
    this.#isConnected = false;
    this.destroy(new StreamError('disconnected', 'the connection is lost'));
  }

  /**
   * Returns one frame or several small ones if no size is given, because all that waits would be
   * copied to join it. Allows the other end to send as much as was read.
   */
  override read(size?: number): unknown {
    const chunk: unknown = super.read(size ?? this.#lengths[0]);
    if (Buffer.isBuffer(chunk)) this.#countRead(chunk.length);
    this.#grant();
    return chunk;
  }

  #countReceived(bytes: number): void {
    if (bytes === 0) return;
    const joined = bytes + (this.#lengths.at(-1) ?? maxDataBytes);
    if (joined > maxDataBytes) this.#lengths.push(bytes);
    else this.#lengths[this.#lengths.length - 1] = joined;
  }

  #countRead(bytes: number): void {
    let left = bytes;
    while (left > 0) {
      const [first = left] = this.#lengths;
      if (first > left) this.#lengths[0] = first - left;
      else this.#lengths.shift();
      left -= Math.min(first, left);
    }
  }

  override _read(): void {
    // `read` does what is needed after each read, not only after the first one since a push
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: PendingWrite['done']): void {
    this.#offer([bytes], done);
  }

  /** Sends what waits in as few frames as possible. */
  override _writev(chunks: { chunk: Buffer }[], done: PendingWrite['done']): void {
    this.#offer(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#hasEnded.here = true;
    this.#link.send({ type: 'end', id: this.id });
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const { here, there } = this.#hasEnded;
    if (this.#isConnected && !(here && there)) {
      this.#link.send({ type: 'reset', id: this.id, ...resetOf(error) });
    }
    this.#link.forget(this.id);
    done(error);
  }

  #offer(parts: Buffer[], done: PendingWrite['done']): void {
    this.#write = { parts, done };
    if (this.isReady) this.#link.onReady(this);
  }

  #grant(): void {
    if (this.#hasEnded.there || this.destroyed) return;
    const room = windowBytes - this.readableLength - this.#granted;
    if (room <= 0 || (room < windowBytes / 2 && this.#granted > 0)) return;
    this.#granted += room;
    this.#link.send({ type: 'credit', id: this.id, bytes: room });
  }
}

/** Returns the code and the message that the other end gets for an error. */
function resetOf(error: Error | null): { code: string; message: string } {
  if (error === null) return { code: 'cancelled', message: 'the other end has stopped to use the stream' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'internal';
  return { code: code.slice(0, 64), message: error.message.slice(0, 1024) };
}
