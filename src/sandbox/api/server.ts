import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { ApiError, unauthorized } from '../api-error.ts';
import type { ServerCertificates } from '../certificates.ts';
import { type ApiRequest, readRequest } from './request.ts';
import { type ApiResponse, send, sendError } from './response.ts';

export interface ListenOptions {
  host: string;
  port: number;
  /** Undefined for plain HTTP. */
  certificates: ServerCertificates | undefined;
  /** Bearer token that every client must present. Undefined: none is needed. */
  token: string | undefined;
}

/** Starts a server. Resolves when it listens. */
export async function listen(
  options: ListenOptions,
  handle: (request: ApiRequest) => ApiResponse,
): Promise<{ url: string; close: () => Promise<void> }> {
  const { certificates, token } = options;
  const answer: RequestListener = (message, response) => {
    const disconnected = new AbortController();
    response.on('close', () => {
      if (!response.writableFinished) disconnected.abort();
    });
    const respond = async (): Promise<void> => {
      try {
        if (token !== undefined && message.headers.authorization !== `Bearer ${token}`) throw unauthorized();
        await send(response, handle(await readRequest(message, disconnected.signal)));
      } catch (error) {
        if (disconnected.signal.aborted) return;
        sendError(response, error instanceof ApiError ? error : internalError(error));
      }
    };
    void respond();
  };
  const settings = { keepAliveTimeout: 60_000 };
  const server =
    certificates === undefined
      ? createHttpServer(settings, answer)
      : createHttpsServer({ ...settings, cert: certificates.certificate, key: certificates.key }, answer);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo; // a TCP server has one while it listens
  const scheme = certificates === undefined ? 'http' : 'https';
  return { url: `${scheme}://${options.host}:${port}`, close: () => close(server, sockets) };
}

function internalError(error: unknown): ApiError {
  return new ApiError(
    500,
    'InternalError',
    `Internal error occurred: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
}

/** Closes a server and its connections. The server itself does not close those in a handshake. */
async function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of sockets) socket.destroy();
  await closed;
}
