import { WebSocket } from 'ws';
import { defaultHeartbeat, keepAlive } from '../../../net/heartbeat.ts';
import { messageBatches } from '../../../net/message-batches.ts';
import { channels } from '../../../protocol/streams/messages.ts';
import type { SessionTerminal } from '../../dependencies.ts';
import type { SessionAddress } from '../api-client.ts';
import { ApiError } from '../api-request.ts';
import { handshakeTimeoutMs, opened } from './run-session.ts';

/** The largest message of the control plane, in bytes. */
const maxMessageBytes = 1024 * 1024;

/** The status of a connection that ends in order. */
const closedNormally = 1000;

export interface WatchSettings {
  terminal: Pick<SessionTerminal, 'write'>;
  /** Aborts to end the session for all. */
  terminated: AbortSignal;
}

/** Shows the session of another person until it ends. Rejects with `ApiError`. */
export async function watchSession(
  { url, headers, ca }: SessionAddress,
  { terminal, terminated }: WatchSettings,
): Promise<void> {
  const socket = new WebSocket(url, {
    ...{ headers, ca, handshakeTimeout: handshakeTimeoutMs },
    ...{ maxPayload: maxMessageBytes, perMessageDeflate: false },
  });
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  socket.once('close', (code, reason) => closed.resolve({ code, reason: reason.toString() }));
  const messages = messageBatches(socket);
  await opened(socket);
  const stopHeartbeat = keepAlive(socket, defaultHeartbeat, () => socket.terminate());
  const terminate = () => socket.send('{"type":"terminate"}');
  terminated.addEventListener('abort', terminate, { once: true });
  if (terminated.aborted) terminate();
  try {
    for await (const batch of messages) {
      for (const { data } of batch) {
        await terminal.write(data[0] === channels.error ? 'error' : 'output', data.subarray(1));
      }
    }
    const { code, reason } = await closed.promise;
    if (code !== closedNormally) throw new ApiError(reason || 'the connection to the control plane was lost', true);
  } finally {
    terminated.removeEventListener('abort', terminate);
    stopHeartbeat();
    socket.terminate();
  }
}
