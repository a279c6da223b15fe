import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { ConnectionShares, type CountedSocket } from './connection-shares.ts';
import { minTlsVersion, type ServerTls } from './server-tls.ts';

/**
 * Time for a client to send the headers of a request, from its connection on. On a busy machine, it
 * is over before headers that have arrived are read, so it is longer than a pause of this process.
 */
const headersTimeoutMs = 30_000;

/** Time for a client to send a whole request. */
const defaultRequestTimeoutMs = 60_000;

/**
 * Time for which a connection without a request is kept. It is longer than the 90 seconds of Go's
 * client and the 60 of many proxies: if this end closed it first, a request that is on its way
 * would fail.
 */
const keepAliveTimeoutMs = 95_000;

/** Time for a client to agree on the encryption. */
const tlsHandshakeTimeoutMs = 10_000;

/** Interval between checks of these times. */
const checkIntervalMs = 2000;

export interface BoundedServerOptions {
  /** Default: 60,000. */
  requestTimeoutMs?: number;
  /** Default: the server has no TLS. */
  tls?: ServerTls | undefined;
}

/** An HTTP server whose connections are shared. */
export interface BoundedServer {
  server: Server | TlsServer;
  /** Counts a connection as one that has shown a valid token. */
  trust: (socket: CountedSocket) => void;
}

/** Part of the connections that clients without a valid token can have. */
const strangersShare = 0.5;

/**
 * Connections beyond the limit that Node accepts, because ended ones count until the event loop
 * turns.
 */
const spareConnections = 256;

/**
 * Creates an HTTP server with limits on connections, on headers, and on the time in which a client
 * can stay without a request. Half of the connections are kept for clients with a valid token, and
 * the others are shared by address.
 */
export function createBoundedServer(
  maxConnections: number,
  { requestTimeoutMs = defaultRequestTimeoutMs, tls }: BoundedServerOptions = {},
): BoundedServer {
  const options = {
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: checkIntervalMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize: 16 * 1024,
  };
  const server = tls ? createSecureServer(options, tls) : createServer(options);
  server.maxConnections = maxConnections + spareConnections;
  server.maxRequestsPerSocket = 1000;
  const shares = new ConnectionShares({
    connections: maxConnections,
    strangers: Math.ceil(maxConnections * strangersShare),
  });
  server.on('connection', (socket: Socket) => shares.add(socket));
  return { server, trust: (socket) => shares.trust(socket) };
}

function createSecureServer(options: Parameters<typeof createServer>[0], tls: ServerTls): TlsServer {
  const server = createTlsServer({
    ...options,
    ...tls.pair,
    minVersion: minTlsVersion,
    handshakeTimeout: tlsHandshakeTimeoutMs,
  });
  tls.follow(server);
  return server;
}
