import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { abortable, readUpTo } from '../async/index.ts';
import { messageBatches, type ReceivedMessage } from '../net/message-batches.ts';
import { maskOptions } from '../net/websocket-mask.ts';
import { apiPath } from '../objects/api-path.ts';
import type { Connection } from './connection.ts';
import { errorOfResponse, KubeError } from './kube-error.ts';
import { socketAgent } from './socket-agent.ts';

/** The largest message of the API server, in bytes. */
const maxMessageBytes = 4 * 1024 * 1024;

/** Most characters of a response that refuses a connection. */
const maxRefusalBytes = 64 * 1024;

/** Time for the API server and the kubelet to open a connection, in milliseconds. */
const handshakeTimeoutMs = 30_000;

const pods = { apiVersion: 'v1', resource: 'pods', namespaced: true };

/** Returns the URL of a WebSocket to a pod. */
export function podUrl(
  { server }: Pick<Connection, 'server'>,
  place: { namespace: string; name: string; subresource: 'exec' | 'portforward' },
): URL {
  return new URL(server.replace(/^http/, 'ws') + apiPath(pods, place));
}

export interface PodSocket {
  socket: WebSocket;
  /** The messages until the connection ends, which are read only as fast as they are consumed. */
  messages: AsyncIterable<ReceivedMessage[]>;
}

/**
 * Opens a WebSocket to a pod. Rejects with `KubeError` if the API server refuses it, and with the
 * signal's reason.
 */
export async function openPodSocket(
  connection: Connection,
  { url, subprotocols, signal }: { url: URL; subprotocols: readonly string[]; signal: AbortSignal },
): Promise<PodSocket> {
  signal.throwIfAborted();
  const { tls, headers } = await abortable(connection.prepare(), signal);
  const socket = new WebSocket(url, [...subprotocols], {
    agent: socketAgent(connection, tls),
    headers,
    handshakeTimeout: handshakeTimeoutMs,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    followRedirects: false,
    ...maskOptions(url),
  });
  const messages = messageBatches(socket);
  await opened(socket, signal);
  return { socket, messages };
}

/** Waits until a socket is open. */
async function opened(socket: WebSocket, signal: AbortSignal): Promise<void> {
  const refused = Promise.withResolvers<never>();
  socket.once('unexpected-response', (_request: ClientRequest, response: IncomingMessage) => {
    refusalOf(response).then(refused.reject, refused.reject);
  });
  socket.on('error', () => undefined); // `once` rejects with it, and later the socket closes
  const abort = () => socket.terminate();
  signal.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(abort, handshakeTimeoutMs); // that of ws begins when a tunnel has TLS
  try {
    await Promise.race([once(socket, 'open'), refused.promise]);
  } catch (cause) {
    socket.terminate();
    signal.throwIfAborted();
    if (cause instanceof KubeError) throw cause;
    throw new KubeError('unreachable', 'the API server cannot be reached for a connection to a pod', { cause });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

async function refusalOf(response: IncomingMessage): Promise<KubeError> {
  const { statusCode = 0 } = response;
  const { content } = await readUpTo(response, maxRefusalBytes);
  if (statusCode >= 400) return errorOfResponse(statusCode, content.toString());
  return new KubeError('server_error', `the API server responded with ${statusCode} instead of a WebSocket`);
}
