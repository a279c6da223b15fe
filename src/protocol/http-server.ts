import { createServer, type Server } from 'node:http';

/** Time for a client to send the headers of a request, from its connection on. */
const headersTimeoutMs = 10_000;

/** Time for a client to send a whole request. */
const requestTimeoutMs = 60_000;

/** Interval between checks of these times. */
const checkIntervalMs = 2000;

/**
 * Creates an HTTP server with limits on connections, on headers, and on the time in which a client
 * can stay without a request.
 */
export function createBoundedServer(maxConnections: number): Server {
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: checkIntervalMs,
    keepAliveTimeout: 5000,
    maxHeaderSize: 16 * 1024,
  });
  server.maxConnections = maxConnections;
  server.maxRequestsPerSocket = 1000;
  return server;
}
