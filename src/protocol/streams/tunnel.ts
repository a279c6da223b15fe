import { Allowance } from '../allowance.ts';
import { DataFrames, decodeStreamFrame, encodeStreamFrame, type StreamFrame } from './frame.ts';
import { StreamError } from './stream-error.ts';
import { type StreamLink, TunnelStream } from './tunnel-stream.ts';

/** The part of a WebSocket that a tunnel needs. */
export interface TunnelSocket {
  readonly readyState: number;
  readonly OPEN: number;
  send(frame: Buffer, done: () => void): void;
}

/** Number of streams that the other end may have opened at a time. */
export const maxStreams = 64;

/** Streams that the other end may open in vain, at once and in each further second. */
const allowedVain = { count: 100, perSecond: 1 };

/** Frames without data that may wait to be written. A tunnel that is used properly has fewer. */
const maxUnwrittenFrames = 1000;

/** Uses a stream that the other end has opened, or destroys it with an error. */
export type AcceptStream = (header: unknown, stream: TunnelStream) => void;

export interface TunnelOptions {
  /** An agent opens streams with odd ids, a control plane with even ones. */
  end: 'agent' | 'control-plane';
  /** Default: streams of the other end are refused. */
  accept?: AcceptStream;
}

/**
 * The streams of one connection. They take turns, one `data` frame each, and the next one is given
 * to the socket when the one before was written. So a packet or a ping waits for at most one frame.
 */
export class Tunnel {
  readonly #socket: TunnelSocket;
  readonly #accept: AcceptStream;
  readonly #streams = new Map<number, TunnelStream>();
  /** The streams that have data that they may send, in the order of their turns. */
  readonly #ready = new Set<TunnelStream>();
  readonly #link: StreamLink;
  #nextId: number;
  /** The newest id of the other end. */
  #lastId = 0;
  #opened = 0;
  readonly #vain = new Allowance(allowedVain);
  /** Undefined while there are no streams. */
  #dataFrames: DataFrames | undefined;
  #unwrittenFrames = 0;
  #isWriting = false;
  #isClosed = false;

  constructor(socket: TunnelSocket, { end, accept = refuse }: TunnelOptions) {
    this.#socket = socket;
    this.#accept = accept;
    this.#nextId = end === 'agent' ? 1 : 2;
    this.#link = {
      send: (frame) => this.#send(frame),
      onReady: (stream) => {
        this.#ready.add(stream);
        this.#takeTurns();
      },
      forget: (id) => this.#forget(id),
    };
  }

  /** Opens a stream. The header says what it carries; docs/protocol.md lists the kinds. */
  open(header: { kind: string }): TunnelStream {
    const id = this.#nextId;
    this.#nextId += 2;
    const stream = this.#add(id);
    if (this.#isClosed) stream.disconnect();
    else this.#send({ type: 'open', id, header });
    return stream;
  }

  /** Handles a binary frame. Throws `StreamError` `protocol`. */
  receive(bytes: Buffer): void {
    const frame = decodeStreamFrame(bytes);
    if (frame.type === 'open') {
      this.#onOpen(frame.id, frame.header);
    } else {
      const stream = this.#streamOf(frame.id);
      stream?.receive(frame);
      if (frame.type === 'reset' && stream?.hasReceived !== true) this.#countVain(frame.id);
    }
    if (this.#unwrittenFrames > maxUnwrittenFrames) {
      throw new StreamError('protocol', 'too many frames about streams wait to be read');
    }
  }

  /** Counts a stream of the other end that was refused, or reset before it had bytes. */
  #countVain(id: number): void {
    if (this.#isOwn(id) || this.#vain.take()) return;
    throw new StreamError('protocol', 'too many streams were opened in vain');
  }

  /** Ends all streams, because the connection is closed. */
  close(): void {
    this.#isClosed = true;
    for (const stream of [...this.#streams.values()]) stream.disconnect();
  }

  #onOpen(id: number, header: unknown): void {
    if (this.#isOwn(id) || id <= this.#lastId) throw new StreamError('protocol', 'the id of a stream is not a new one');
    this.#lastId = id;
    const stream = this.#add(id);
    // its user has listeners of its own
    stream.on('error', () => undefined);
    if (++this.#opened > maxStreams) {
      stream.destroy(Object.assign(new Error(`a connection has at most ${maxStreams} streams`), { code: 'busy' }));
    } else {
      this.#accept(header, stream);
    }
    if (stream.destroyed) this.#countVain(id);
  }

  /** Returns undefined for a stream that has ended here already. */
  #streamOf(id: number): TunnelStream | undefined {
    const stream = this.#streams.get(id);
    const isKnown = this.#isOwn(id) ? id < this.#nextId : id <= this.#lastId;
    if (!isKnown) throw new StreamError('protocol', 'a stream must be opened before it is used');
    return stream;
  }

  #isOwn(id: number): boolean {
    return id % 2 === this.#nextId % 2;
  }

  #add(id: number): TunnelStream {
    const stream = new TunnelStream(id, this.#link);
    this.#streams.set(id, stream);
    return stream;
  }

  #forget(id: number): void {
    const stream = this.#streams.get(id);
    if (!stream) return;
    this.#streams.delete(id);
    this.#ready.delete(stream);
    if (this.#streams.size === 0) this.#dataFrames = undefined;
    if (!this.#isOwn(id)) this.#opened--;
  }

  #send(frame: StreamFrame): void {
    const { readyState, OPEN } = this.#socket;
    if (readyState !== OPEN) return;
    this.#unwrittenFrames++;
    this.#socket.send(encodeStreamFrame(frame), () => this.#unwrittenFrames--);
  }

  #takeTurns(): void {
    if (this.#isWriting) return;
    for (const stream of this.#ready) {
      this.#ready.delete(stream);
      const taken = stream.nextData();
      if (!taken) continue;
      if (stream.isReady) this.#ready.add(stream);
      const { readyState, OPEN } = this.#socket;
      if (readyState !== OPEN) return;
      this.#isWriting = true;
      this.#dataFrames ??= new DataFrames();
      this.#socket.send(this.#dataFrames.encode(stream.id, taken.parts), () => {
        this.#isWriting = false;
        taken.onSent();
        this.#takeTurns();
      });
      return;
    }
  }
}

function refuse(_header: unknown, stream: TunnelStream): void {
  const message = 'this end does not know streams of this kind';
  stream.destroy(Object.assign(new Error(message), { code: 'unsupported' }));
}
