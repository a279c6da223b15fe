import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { SentCommand } from './sent-command.ts';

/** A comment is sent as often, so that proxies keep a quiet stream open. */
const COMMENT_INTERVAL_MS = 15_000;

/** Sends a command's events as server-sent events, from the one after Last-Event-ID up to the result; then the stream ends. */
export async function sendEvents(
  request: IncomingMessage,
  response: ServerResponse,
  command: SentCommand,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const comments = setInterval(() => response.write(':\n\n'), COMMENT_INTERVAL_MS);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.flushHeaders();
  try {
    for await (const { id, type, payload } of command.eventsAfter(lastEventId(request), gone.signal)) {
      const written = response.write(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(payload)}\n\n`);
      if (!written) await once(response, 'drain', { signal: gone.signal }).catch(() => undefined);
    }
  } finally {
    clearInterval(comments);
    response.end();
  }
}

function lastEventId(request: IncomingMessage): number {
  const id = Number(request.headers['last-event-id'] ?? 0);
  return Number.isSafeInteger(id) && id > 0 ? id : 0;
}
