import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';

/** Interval between comments, which keep a quiet stream open in proxies. */
const commentIntervalMs = 15_000;

/** An event of a stream. `payload` is sent as JSON. */
interface StreamEvent {
  id: number;
  type: string;
  payload: unknown;
}

/**
 * Sends events as server-sent events, and ends the response after the last one. `events` gets a
 * signal that aborts when the reader has gone.
 */
export async function sendEvents(
  response: ServerResponse,
  events: (signal: AbortSignal) => AsyncIterable<StreamEvent>,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const comments = setInterval(() => response.write(':\n\n'), commentIntervalMs);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.flushHeaders();
  try {
    for await (const { id, type, payload } of events(gone.signal)) {
      const written = response.write(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(payload)}\n\n`);
      if (!written) await once(response, 'drain', { signal: gone.signal }).catch(() => undefined);
    }
  } finally {
    clearInterval(comments);
    response.end();
  }
}

/** Returns the id of the last event that the reader has; undefined if it has none. */
export function lastEventId({ headers }: IncomingMessage): number | undefined {
  const id = Number(headers['last-event-id'] ?? 0);
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}
