import { createServer, type Server } from 'node:http';

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

/** Interval between checks of these times. */
const checkIntervalMs = 2000;

/**
 * Creates an HTTP server with limits on connections, on headers, and on the time in which a client
 * can stay without a request.
 */
export function createBoundedServer(
  maxConnections: number,
  { requestTimeoutMs = defaultRequestTimeoutMs }: { requestTimeoutMs?: number } = {},
): Server {
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: checkIntervalMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize: 16 * 1024,
  });
  server.maxConnections = maxConnections;
  server.maxRequestsPerSocket = 1000;
  return server;
}
