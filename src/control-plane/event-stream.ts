import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { Notice } from '../async/index.ts';
import type { User } from './access/authenticate-user.ts';
import { BearerWatch } from './bearer-watch.ts';
import { whenClientGone } from './client-gone.ts';
import type { Token } from './token.ts';

/** Interval between comments, which keep a quiet stream open in proxies. */
const commentIntervalMs = 15_000;

/** Time for a reader to read what was sent. */
const readTimeoutMs = 30_000;

/** An event of a stream. `payload` is sent as JSON. */
interface StreamEvent {
  id: number;
  type: string;
  payload: unknown;
}

export interface EventStreamsOptions {
  /** The API token; the stream of a reader who has it ends when it has changed. Default: none. */
  token: Token | undefined;
  /** Bytes that readers of all streams have not read; further events wait until they have. */
  maxUnreadBytes: number;
  /** Default: 30,000. */
  readTimeoutMs?: number;
}

/** The event streams that are open. */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #readers: BearerWatch;
  readonly #read = new Notice();
  #unreadBytes = 0;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    this.#readers = new BearerWatch(options.token);
  }

  /**
   * Sends events as server-sent events, and ends the response after the last one. `events` gets a
   * signal that aborts when the reader has gone, or is not authenticated any more.
   */
  async send(
    { headers: { authorization } }: IncomingMessage,
    response: ServerResponse,
    user: Pick<User, 'principal' | 'hasApiToken'>,
    events: (signal: AbortSignal) => AsyncIterable<StreamEvent>,
  ): Promise<void> {
    if (response.destroyed) return;
    const gone = whenClientGone(response);
    const endWatch = this.#readers.add(user, authorization, gone);
    const comments = setInterval(() => {
      if (!response.writableNeedDrain) response.write(':\n\n');
    }, commentIntervalMs);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.flushHeaders();
    try {
      for await (const event of events(gone.signal)) {
        await this.#room(gone.signal);
        if (gone.signal.aborted) break;
        await this.#write(response, event, gone);
      }
    } finally {
      clearInterval(comments);
      endWatch();
      if (response.writableNeedDrain) response.destroy();
      else response.end();
    }
  }

  /** Waits until readers have read enough of what was sent. */
  async #room(signal: AbortSignal): Promise<void> {
    while (this.#unreadBytes > this.#options.maxUnreadBytes && !signal.aborted) await this.#read.next(signal);
  }

  async #write(response: ServerResponse, { id, type, payload }: StreamEvent, gone: AbortController): Promise<void> {
    const text = `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(payload)}\n\n`;
    if (response.write(text)) return;
    this.#unreadBytes += text.length;
    const cutOff = setTimeout(() => gone.abort(), this.#options.readTimeoutMs ?? readTimeoutMs);
    await once(response, 'drain', { signal: gone.signal }).catch(() => undefined);
    clearTimeout(cutOff);
    this.#unreadBytes -= text.length;
    this.#read.give();
  }
}

/** The header with which a reader resumes a stream. */
export const lastEventIdHeader = z.object({
  'last-event-id': z.string().optional().describe('Id of the last event that the reader has'),
});

/** Returns the id of the last event that the reader has; undefined if it has none. */
export function lastEventId({ headers }: IncomingMessage): number | undefined {
  const id = Number(headers['last-event-id'] ?? 0);
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}
