import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerProbe, type Health } from './health.ts';
import { createBoundedServer } from './http-server.ts';

/** A server that serves nothing but the probes and the metrics. */
export interface HealthServer {
  /** The port that is bound, also if port 0 was given. */
  readonly port: number;
  close(): void;
}

/** The text of `/metrics`. */
export interface MetricsText {
  contentType: string;
  text(): Promise<string>;
}

/** Most connections at a time. Half of them are shared by address: the kubelet has its own. */
const maxConnections = 64;

/** Time for the head of a request, in milliseconds. */
const headersTimeoutMs = 5000;

/** Time from the start of a request to the end of its response, in milliseconds. */
const exchangeTimeoutMs = 10_000;

/**
 * Serves `/livez`, `/readyz`, `/healthz` and `/metrics` on all addresses, because the kubelet
 * probes a pod from outside. An exchange that takes longer than the timeout, in milliseconds, is
 * ended. Rejects with Node's error if the port cannot be bound.
 */
export async function startHealthServer(
  port: number,
  health: Health,
  metrics: MetricsText | undefined,
  timeoutMs = exchangeTimeoutMs,
): Promise<HealthServer> {
  const { server } = createBoundedServer(maxConnections, { requestTimeoutMs: timeoutMs });
  server.headersTimeout = Math.min(headersTimeoutMs, timeoutMs);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const late = setTimeout(() => response.destroy(), timeoutMs).unref();
    response.once('close', () => clearTimeout(late));
    serve(request, response, health, metrics).catch(() => response.destroy());
  });
  server.listen(port);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // a TCP server that listens has one
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function serve(
  { url = '', method = '' }: IncomingMessage,
  response: ServerResponse,
  health: Health,
  metrics: MetricsText | undefined,
): Promise<void> {
  const send = (status: number, text: string, contentType = 'text/plain; charset=utf-8') => {
    const head = { 'content-type': contentType, 'content-length': Buffer.byteLength(text), connection: 'close' };
    response.writeHead(status, head).end(method === 'HEAD' ? undefined : text);
  };
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    send(405, 'only GET and HEAD are served\n');
  } else if (metrics && url.split('?', 1)[0] === '/metrics') {
    send(200, await metrics.text(), metrics.contentType);
  } else {
    const { status, text } = answerProbe(url, health) ?? { status: 404, text: 'not found\n' };
    send(status, text);
  }
}
