import { WebSocket } from 'ws';
import { defaultHeartbeat, keepAlive } from '../net/heartbeat.ts';
import type { ReceivedMessage } from '../net/message-batches.ts';
import type { ContainerProcess, ContainerRef, ExecOptions, ProcessOutput } from '../objects/cluster.ts';
import { objectsAt, stringAt } from '../objects/fields.ts';
import type { Connection } from './connection.ts';
import { KubeError } from './kube-error.ts';
import { openPodSocket, podUrl } from './pod-socket.ts';

/** The versions of the protocol, the preferred one first. Only the first can end the input. */
const subprotocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;

/** The channels of the protocol. `close` is followed by the number of the channel that ends. */
const channels = { input: 0, output: 1, error: 2, status: 3, resize: 4, close: 255 } as const;

/** Most characters of the message of a process that could not be run. */
const maxMessageLength = 64 * 1024;

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
  const url = podUrl(connection, { namespace, name, subresource: 'exec' });
  for (const part of command) url.searchParams.append('command', part);
  const switches = { stdin: input, stdout: true, stderr: !tty, tty };
  for (const [key, value] of Object.entries(switches)) url.searchParams.set(key, String(value));
  url.searchParams.set('container', container);
  const { socket, messages } = await openPodSocket(connection, { url, subprotocols, signal });
  return new ExecProcess(socket, messages, signal);
}

/** A process over an open WebSocket. */
class ExecProcess implements ContainerProcess {
  readonly #socket: WebSocket;
  readonly #messages: AsyncIterable<ReceivedMessage[]>;
  readonly #stopHeartbeat: () => void;
  readonly #signal: AbortSignal;
  #status: unknown;

  constructor(socket: WebSocket, messages: AsyncIterable<ReceivedMessage[]>, signal: AbortSignal) {
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
      for await (const batch of this.#messages) {
        yield* outputsOf(batch);
        const status = batch.find(({ data }) => data[0] === channels.status);
        if (status) this.#status = statusOf(status.data.subarray(1));
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
    const message = stringAt(status, 'message')?.slice(0, maxMessageLength) ?? 'it has no message';
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

/** Yields what a process has written: messages of one channel that follow each other together. */
function* outputsOf(batch: readonly ReceivedMessage[]): Generator<ProcessOutput> {
  let from: ProcessOutput['from'] = 'output';
  let parts: Buffer[] = [];
  for (const { data } of batch) {
    const [channel] = data;
    if ((channel !== channels.output && channel !== channels.error) || data.length === 1) continue;
    const writer = channel === channels.output ? 'output' : 'error';
    if (writer !== from && parts.length > 0) {
      yield { from, parts };
      parts = [];
    }
    from = writer;
    parts.push(data.subarray(1));
  }
  if (parts.length > 0) yield { from, parts };
}

function statusOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return { message: bytes.toString('utf8', 0, maxMessageLength) };
  }
}
