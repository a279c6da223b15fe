import type { RawData, WebSocket } from 'ws';
import type { FrameTurns } from './frame-turns.ts';

/** The part of a WebSocket that is read. */
export type ReadableSocket = Pick<WebSocket, 'readyState' | 'OPEN' | 'pause' | 'resume' | 'on' | 'once'>;

export interface FrameReaderOptions {
  turns: FrameTurns;
  /** Must not throw. */
  onFrame: (frame: Buffer, isBinary: boolean) => void;
  /** Called once, after the last frame. */
  onClose: (code: number, reason: Buffer) => void;
}

interface Frame {
  data: Buffer;
  isBinary: boolean;
}

/**
 * Gives the frames of a socket to a handler in their order. When the turn of the event loop is
 * over, frames that have arrived wait, and the socket is not read until they are handled.
 */
export class FrameReader {
  readonly #socket: ReadableSocket;
  readonly #options: FrameReaderOptions;
  readonly #frames: Frame[] = [];
  #holds = 0;
  #isWaiting = false;
  #isStopped = false;
  #closed: { code: number; reason: Buffer } | undefined;

  constructor(socket: ReadableSocket, options: FrameReaderOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.on('message', (data, isBinary) => {
      this.#yield();
      // frames that arrive while the connection closes
      if (socket.readyState === socket.OPEN) this.#receive({ data: bufferOf(data), isBinary });
    });
    socket.on('ping', () => this.#yield());
    socket.on('pong', () => this.#yield());
    socket.once('close', (code, reason) => {
      this.#closed = { code, reason };
      if (!this.#isWaiting) this.#end();
    });
  }

  /** Handles no more frames, because this end closes the connection. */
  stop(): void {
    this.#isStopped = true;
    this.#frames.length = 0;
  }

  /** Stops to read the socket until the function that is returned is called. */
  hold(): () => void {
    if (this.#holds++ === 0) this.#socket.pause();
    let isHeld = true;
    return () => {
      if (isHeld && --this.#holds === 0) this.#socket.resume();
      isHeld = false;
    };
  }

  #receive(frame: Frame): void {
    if (this.#isStopped) return;
    if (this.#isWaiting) this.#frames.push(frame);
    else this.#handle(frame);
  }

  #handle({ data, isBinary }: Frame): void {
    this.#options.onFrame(data, isBinary);
  }

  /** Waits for another turn if this one is over. */
  #yield(): void {
    const { turns } = this.#options;
    if (this.#isWaiting || !turns.isOver) return;
    this.#isWaiting = true;
    const release = this.hold();
    turns.wait(() => {
      const next = this.#frames.shift();
      if (next) this.#handle(next);
      if (this.#frames.length > 0) return true;
      this.#isWaiting = false;
      release();
      if (this.#closed) this.#end();
      return false;
    });
  }

  #end(): void {
    const closed = this.#closed;
    if (closed) this.#options.onClose(closed.code, closed.reason);
  }
}

export function bufferOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
