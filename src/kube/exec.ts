import { on, once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { defaultHeartbeat, keepAlive } from '../net/heartbeat.ts';
import { apiPath } from '../objects/api-path.ts';
import type { ContainerProcess, ContainerRef, ExecOptions, ProcessOutput } from '../objects/cluster.ts';
import { objectsAt, stringAt } from '../objects/fields.ts';
import type { Connection } from './connection.ts';
import { errorOfResponse, KubeError } from './kube-error.ts';

/** The versions of the protocol, the preferred one first. Only the first can end the input. */
const subprotocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;

/** The channels of the protocol. `close` is followed by the number of the channel that ends. */
const channels = { input: 0, output: 1, error: 2, status: 3, resize: 4, close: 255 } as const;

/** The largest message of the API server, in bytes. */
const maxMessageBytes = 4 * 1024 * 1024;

/** Most characters of a response that refuses a process. */
const maxRefusalBytes = 64 * 1024;

/** Time for the API server and the kubelet to start a process, in milliseconds. */
const handshakeTimeoutMs = 30_000;

/** Messages that wait to be read before the connection is paused, and before it is resumed. */
const waiting = { highWaterMark: 8, lowWaterMark: 4 };

const pods = { apiVersion: 'v1', resource: 'pods', namespaced: true };

/**
 * Starts a process in a container, over a WebSocket that is pinged. Rejects with `KubeError` if the
 * API server refuses it, and with the signal's reason.
 */
export async function execInContainer(
  connection: Connection,
  { namespace, name, container }: ContainerRef,
  { command, input, tty, signal }: ExecOptions,
): Promise<ContainerProcess> {
  signal.throwIfAborted();
  const url = new URL(
    connection.server.replace(/^http/, 'ws') + apiPath(pods, { namespace, name, subresource: 'exec' }),
  );
  for (const part of command) url.searchParams.append('command', part);
  const switches = { stdin: input, stdout: true, stderr: !tty, tty };
  for (const [key, value] of Object.entries(switches)) url.searchParams.set(key, String(value));
  url.searchParams.set('container', container);
  const { agent, headers } = await connection.prepare();
  const socket = new WebSocket(url, [...subprotocols], {
    agent,
    headers,
    handshakeTimeout: handshakeTimeoutMs,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    followRedirects: false,
  });
  // at once: the first one may come in the turn in which the socket opens
  const messages = on(socket, 'message', { close: ['close'], ...waiting }) as AsyncIterable<[Buffer]>; // the default of ws
  await opened(socket, signal);
  return new ExecProcess(socket, messages, signal);
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
  try {
    await Promise.race([once(socket, 'open'), refused.promise]);
  } catch (cause) {
    socket.terminate();
    signal.throwIfAborted();
    if (cause instanceof KubeError) throw cause;
    throw new KubeError('unreachable', 'the API server cannot be reached to start a process', { cause });
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function refusalOf(response: IncomingMessage): Promise<KubeError> {
  const { statusCode = 0, headers } = response;
  const isShort = Number(headers['content-length'] ?? 0) <= maxRefusalBytes;
  const body = isShort ? (await text(response)).slice(0, maxRefusalBytes) : '';
  if (statusCode >= 400) return errorOfResponse(statusCode, body);
  return new KubeError('server_error', `the API server responded with ${statusCode} instead of a WebSocket`);
}

/** A process over an open WebSocket. */
class ExecProcess implements ContainerProcess {
  readonly #socket: WebSocket;
  readonly #messages: AsyncIterable<[Buffer]>;
  readonly #stopHeartbeat: () => void;
  readonly #signal: AbortSignal;
  #status: unknown;

  constructor(socket: WebSocket, messages: AsyncIterable<[Buffer]>, signal: AbortSignal) {
    this.#socket = socket;
    this.#signal = signal;
    this.#messages = messages;
    this.#stopHeartbeat = keepAlive(socket, defaultHeartbeat, () => socket.terminate());
    const abort = () => this.close();
    signal.addEventListener('abort', abort, { once: true });
    socket.once('close', () => {
      this.#stopHeartbeat();
      signal.removeEventListener('abort', abort);
    });
    if (signal.aborted) abort();
  }

  async *output(): AsyncGenerator<ProcessOutput> {
    try {
      for await (const [message] of this.#messages) {
        const [channel] = message;
        const bytes = message.subarray(1);
        if (channel === channels.output && bytes.length > 0) yield { from: 'output', bytes };
        else if (channel === channels.error && bytes.length > 0) yield { from: 'error', bytes };
        else if (channel === channels.status) this.#status = statusOf(bytes);
      }
    } catch (cause) {
      this.#signal.throwIfAborted();
      throw new KubeError('unreachable', 'the connection to the process has failed', { cause });
    }
    this.#signal.throwIfAborted();
    if (this.#status === undefined) {
      throw new KubeError('unreachable', 'the connection to the process has ended before the process');
    }
  }

  get exitCode(): number {
    const status = this.#status;
    if (stringAt(status, 'status') === 'Success') return 0;
    const code = objectsAt(status, 'details', 'causes').find(({ reason }) => reason === 'ExitCode')?.['message'];
    if (stringAt(status, 'reason') === 'NonZeroExitCode' && typeof code === 'string' && /^\d{1,9}$/.test(code)) {
      return Number(code);
    }
    const message = stringAt(status, 'message')?.slice(0, maxRefusalBytes) ?? 'it has no message';
    throw new KubeError('bad_request', `the process could not be run: ${message}`);
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#send(channels.input, bytes);
  }

  async endInput(): Promise<void> {
    if (this.#socket.protocol !== subprotocols[0]) {
      throw new KubeError(
        'bad_request',
        'this API server cannot end the input of a process; it needs Kubernetes 1.30, or a command that ends by itself',
      );
    }
    await this.#send(channels.close, Buffer.of(channels.input));
  }

  async resize({ columns, rows }: { columns: number; rows: number }): Promise<void> {
    await this.#send(channels.resize, Buffer.from(JSON.stringify({ Width: columns, Height: rows })));
  }

  close(): void {
    this.#socket.terminate();
  }

  /** Resolves when the message is written, or cannot be written any more. */
  async #send(channel: number, bytes: Uint8Array): Promise<void> {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const message = Buffer.concat([Buffer.of(channel), bytes]);
    await new Promise<void>((resolve) => this.#socket.send(message, () => resolve()));
  }
}

function statusOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return { message: bytes.toString('utf8', 0, maxRefusalBytes) };
  }
}
