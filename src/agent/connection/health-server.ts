import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { probeStatus, probeText, type AgentState } from './probes.ts';

/** A server that serves nothing but the probes. */
export interface HealthServer {
  /** The port that is bound, also if port 0 was given. */
  readonly port: number;
  close(): void;
}

/** Most connections at a time: a kubelet needs two. */
const maxConnections = 64;

/** Time for the head of a request, in milliseconds. */
const headersTimeoutMs = 5000;

/**
 * Serves `/healthz` and `/readyz` on all addresses, because the kubelet probes a pod from outside.
 * Rejects with Node's error if the port cannot be bound.
 */
export async function startHealthServer(port: number, state: AgentState): Promise<HealthServer> {
  const server = createServer({ headersTimeout: headersTimeoutMs, requestTimeout: headersTimeoutMs });
  server.maxConnections = maxConnections;
  server.on('request', ({ url = '', method }, response) => {
    const status = method === 'GET' || method === 'HEAD' ? (probeStatus(url.split('?')[0] ?? '', state) ?? 404) : 405;
    response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(probeText(status));
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
