import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';
import { eventually } from '../../support/eventually.ts';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: { stringValue?: string } }[];
  status: { code?: number; message?: string };
}

interface ExportRequest {
  resourceSpans: { resource: { attributes: CollectedSpan['attributes'] }; scopeSpans: { spans: CollectedSpan[] }[] }[];
}

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a server that receives spans by OTLP. `respond` responds in another way than with 200. */
export async function collector(t: ExecutionContext, respond?: Respond) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    if (respond !== undefined) {
      respond(request, response);
      return;
    }
    void text(request).then((body) => {
      bodies.push(body);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const requests = () => bodies.map((body) => JSON.parse(body) as ExportRequest).flatMap((one) => one.resourceSpans);
  const spans = () => requests().flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    spans,
    resources: () => requests().map(({ resource }) => valuesOf(resource)),
    /** Resolves to the first span with a name, of a kind. */
    async span(name: string, kind?: number): Promise<CollectedSpan> {
      const find = () => spans().find((one) => one.name === name && (kind === undefined || one.kind === kind));
      await eventually(`the span ${name} arrives`, () => find() !== undefined);
      const found = find();
      if (found === undefined) throw new Error(`no span ${name}`);
      return found;
    },
  };
}

/** Returns the attributes of a span or a resource that are text. */
export function valuesOf({ attributes }: Pick<CollectedSpan, 'attributes'>): Record<string, string | undefined> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
}
