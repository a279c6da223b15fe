import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { TrackedCommand } from './tracked-command.ts';

/** Interval between comments, which keep a quiet stream open in proxies. */
const commentIntervalMs = 15_000;

/**
 * Sends a command's events as server-sent events, from the event after `Last-Event-ID` to the
 * result, and ends the stream.
 */
export async function sendEvents(
  request: IncomingMessage,
  response: ServerResponse,
  command: TrackedCommand,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const comments = setInterval(() => response.write(':\n\n'), commentIntervalMs);
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
