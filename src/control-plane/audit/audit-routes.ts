import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ControlPlaneError } from '../error.ts';
import { type EventStreams, lastEventId } from '../event-stream.ts';
import type { Route } from '../http-json.ts';
import type { AuditEntry } from './audit-entry.ts';
import type { AuditLog } from './audit-log.ts';

export interface AuditRoutesOptions {
  audit: Pick<AuditLog, 'after'>;
  streams: EventStreams;
}

/** Time in which a client must read a part of the log. */
const unreadTimeoutMs = 30_000;

/** Returns the routes of the audit log, which is for administrators. */
export function auditRoutes({ audit, streams }: AuditRoutesOptions): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/audit',
      summary: 'Returns the audit log as lines of JSON',
      async handler(request, response) {
        const since = sinceOf(request.url ?? '');
        response.writeHead(200, { 'content-type': 'application/jsonl', 'cache-control': 'no-store' });
        response.setTimeout(unreadTimeoutMs, () => response.destroy());
        await pipeline(Readable.from(linesOf(audit, since)), response).catch(() => undefined); // the client has gone
      },
    },
    {
      method: 'GET',
      path: '/api/audit/events',
      summary: 'Streams the entries of the audit log, also those that follow',
      async handler(request, response, _id, user) {
        const after = lastEventId(request) ?? 0;
        const since = sinceOf(request.url ?? '');
        await streams.send(request, response, user, (signal) => eventsOf(audit, after, since, signal));
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
function sinceOf(url: string): number {
  const since = new URLSearchParams(url.split('?')[1]).get('since');
  if (since === null) return 0;
  const time = /^\d{4}-\d\d-\d\dT[\d:.]{5,12}(?:Z|[+-]\d\d:\d\d)$/.test(since) ? Date.parse(since) : Number.NaN;
  if (Number.isNaN(time)) throw new ControlPlaneError('bad_request', 'since must be a time in RFC 3339');
  return time;
}
