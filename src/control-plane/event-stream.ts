import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Notice } from '../async/index.ts';
import { bearersOf, type Token } from './token.ts';

/** Interval between comments, which keep a quiet stream open in proxies. */
const commentIntervalMs = 15_000;

/** Interval between checks whether the readers' token is still valid. */
const tokenIntervalMs = 500;

/** Time for a reader to read what was sent. */
const readTimeoutMs = 30_000;

/** An event of a stream. `payload` is sent as JSON. */
interface StreamEvent {
  id: number;
  type: string;
  payload: unknown;
}

export interface EventStreamsOptions {
  /** The token of the readers; a stream ends when it has changed. Default: none. */
  token: Token | undefined;
  /** Bytes that readers of all streams have not read; further events wait until they have. */
  maxUnreadBytes: number;
  /** Default: 30,000. */
  readTimeoutMs?: number;
}

interface OpenStream {
  authorization: string | undefined;
  gone: AbortController;
}

/** The event streams that are open. */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #open = new Set<OpenStream>();
  readonly #read = new Notice();
  #unreadBytes = 0;
  #checks: NodeJS.Timeout | undefined;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
  }

  /**
   * Sends events as server-sent events, and ends the response after the last one. `events` gets a
   * signal that aborts when the reader has gone, or does not have the token any more.
   */
  async send(
    { headers: { authorization } }: IncomingMessage,
    response: ServerResponse,
    events: (signal: AbortSignal) => AsyncIterable<StreamEvent>,
  ): Promise<void> {
    const gone = new AbortController();
    const stream = { authorization, gone };
    response.once('close', () => gone.abort());
    this.#add(stream);
    const comments = setInterval(() => {
      if (!response.writableNeedDrain) response.write(':\n\n');
    }, commentIntervalMs);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.flushHeaders();
    try {
      for await (const event of events(gone.signal)) {
        await this.#room(gone.signal);
        if (gone.signal.aborted) break;
        await this.#write(response, event, gone.signal);
      }
    } finally {
      clearInterval(comments);
      this.#delete(stream);
      if (response.writableNeedDrain) response.destroy();
      else response.end();
    }
  }

  /** Waits until readers have read enough of what was sent. */
  async #room(signal: AbortSignal): Promise<void> {
    while (this.#unreadBytes > this.#options.maxUnreadBytes && !signal.aborted) await this.#read.next(signal);
  }

  async #write(response: ServerResponse, { id, type, payload }: StreamEvent, signal: AbortSignal): Promise<void> {
    const text = `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(payload)}\n\n`;
    if (response.write(text)) return;
    this.#unreadBytes += text.length;
    const cutOff = setTimeout(() => response.destroy(), this.#options.readTimeoutMs ?? readTimeoutMs);
    await once(response, 'drain', { signal }).catch(() => undefined);
    clearTimeout(cutOff);
    this.#unreadBytes -= text.length;
    this.#read.give();
  }

  #add(stream: OpenStream): void {
    this.#open.add(stream);
    const { token } = this.#options;
    if (typeof token === 'function') this.#checks ??= setInterval(() => void this.#check(token), tokenIntervalMs);
  }

  #delete(stream: OpenStream): void {
    this.#open.delete(stream);
    if (this.#open.size > 0) return;
    clearInterval(this.#checks);
    this.#checks = undefined;
  }

  /** Ends the streams of readers that do not have the token any more. */
  async #check(token: Token): Promise<void> {
    const streams = [...this.#open];
    const bearers = await bearersOf(
      streams.map(({ authorization }) => authorization),
      token,
    );
    for (const { authorization, gone } of streams) if (bearers?.has(authorization) === false) gone.abort();
  }
}

/** Returns the id of the last event that the reader has; undefined if it has none. */
export function lastEventId({ headers }: IncomingMessage): number | undefined {
  const id = Number(headers['last-event-id'] ?? 0);
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}
