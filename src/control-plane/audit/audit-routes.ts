import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { type EventStreams, lastEventId, lastEventIdHeader } from '../event-stream.ts';
import { type ApiRoute, readQuery } from '../http-json.ts';
import type { AuditEntry } from './audit-entry.ts';
import type { AuditLog } from './audit-log.ts';

export interface AuditRoutesOptions {
  audit: Pick<AuditLog, 'after'>;
  events: EventStreams;
}

const querySchema = z.strictObject({
  since: z.iso.datetime({ offset: true }).max(40).optional().describe('The time of the oldest entry. Default: all'),
});

/** Time in which a client must read a part of the log. */
const unreadTimeoutMs = 30_000;

/** Returns the routes of the audit log, which is for administrators. */
export function auditRoutes({ audit, events }: AuditRoutesOptions): ApiRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/audit',
      name: 'getAudit',
      summary: 'Returns the audit log as lines of JSON',
      query: querySchema,
      responses: { 200: { description: 'A line for each entry', mediaType: 'application/jsonl' } },
      async handler(request, response) {
        const since = sinceOf(request.url);
        response.writeHead(200, { 'content-type': 'application/jsonl', 'cache-control': 'no-store' });
        response.setTimeout(unreadTimeoutMs, () => response.destroy());
        await pipeline(Readable.from(linesOf(audit, since)), response).catch(() => undefined); // the client has gone
      },
    },
    {
      method: 'GET',
      path: '/api/audit/events',
      name: 'streamAudit',
      summary: 'Streams the entries of the audit log, also those that follow',
      query: querySchema,
      headers: lastEventIdHeader,
      responses: { 200: { description: 'Events `entry`, which continue', mediaType: 'text/event-stream' } },
      async handler(request, response, _id, user) {
        const after = lastEventId(request) ?? 0;
        const since = sinceOf(request.url);
        await events.send(request, response, user, (signal) => eventsOf(audit, after, since, signal));
      },
    },
  ];
}

async function* linesOf(audit: AuditRoutesOptions['audit'], since: number): AsyncGenerator<string> {
  for await (const { line } of audit.after(0, since)) yield `${line}\n`;
}

async function* eventsOf(audit: AuditRoutesOptions['audit'], after: number, since: number, signal: AbortSignal) {
  for await (const { number, line } of audit.after(after, since, signal)) {
    yield { id: number, type: 'entry', payload: JSON.parse(line) as AuditEntry }; // as the log writes it
  }
}

/** Returns the time of the query in milliseconds. */
function sinceOf(url: string | undefined): number {
  const { since } = readQuery(querySchema, url);
  return since === undefined ? 0 : Date.parse(since);
}
