import { WebSocket } from 'ws';
import { defaultHeartbeat, keepAlive } from '../net/heartbeat.ts';
import type { ReceivedMessage } from '../net/message-batches.ts';
import type { ForwardedConnection, ForwardOptions } from '../objects/cluster.ts';
import type { Connection } from './connection.ts';
import { KubeError } from './kube-error.ts';
import { openPodSocket, podUrl } from './pod-socket.ts';

const subprotocols = ['v4.channel.k8s.io'];

/** The channels of the protocol. Each begins with the number of the port, in two bytes. */
const channels = { data: 0, error: 1 } as const;

const portBytes = 2;

/** The longest error of the kubelet, in bytes. */
const maxErrorBytes = 4096;

/**
 * Connects to a port of a pod, over a WebSocket that is pinged. Rejects with `KubeError` if the API
 * server refuses it, and with the signal's reason.
 */
export async function forwardPort(
  connection: Connection,
  pod: { namespace: string; name: string },
  { port, signal }: ForwardOptions,
): Promise<ForwardedConnection> {
  signal.throwIfAborted();
  const url = podUrl(connection, { ...pod, subresource: 'portforward' });
  url.searchParams.set('ports', String(port));
  const { socket, messages } = await openPodSocket(connection, { url, subprotocols, signal });
  const stopHeartbeat = keepAlive(socket, defaultHeartbeat, () => socket.terminate());
  const abort = () => socket.terminate();
  signal.addEventListener('abort', abort, { once: true });
  socket.once('close', () => {
    stopHeartbeat();
    signal.removeEventListener('abort', abort);
  });
  if (signal.aborted) abort();
  return {
    output: () => received(messages, port, signal),
    async write(bytes) {
      if (socket.readyState !== WebSocket.OPEN) return;
      const message = Buffer.concat([Buffer.of(channels.data), bytes]);
      await new Promise<void>((resolve) => socket.send(message, () => resolve()));
    },
    close: abort,
  };
}

async function* received(
  messages: AsyncIterable<ReceivedMessage[]>,
  port: number,
  signal: AbortSignal,
): AsyncGenerator<readonly Buffer[], void, undefined> {
  /** Bytes of the number of the port that have not arrived, by channel. */
  const left = [portBytes, portBytes];
  let problem = Buffer.alloc(0);
  try {
    for await (const batch of messages) {
      const parts: Buffer[] = [];
      for (const { data } of batch) {
        const [channel] = data;
        if (channel === undefined) continue;
        const skipped = Math.min(left[channel] ?? 0, data.length - 1);
        left[channel] = (left[channel] ?? 0) - skipped;
        const bytes = data.subarray(1 + skipped);
        if (bytes.length === 0) continue;
        if (channel === channels.data) parts.push(bytes);
        else if (channel === channels.error) problem = Buffer.concat([problem, bytes]).subarray(0, maxErrorBytes);
      }
      if (parts.length > 0) yield parts;
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw new KubeError('unreachable', 'the connection to the pod has failed', { cause });
  }
  signal.throwIfAborted();
  if (problem.length > 0) throw new KubeError('bad_request', `port ${port} of the pod: ${problem.toString()}`);
}
