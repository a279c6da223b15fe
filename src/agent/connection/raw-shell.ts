import { randomUUID } from 'node:crypto';
import { type Duplex, duplexPair } from 'node:stream';
import type { WebSocket } from 'ws';
import { messageOf } from '../../errors/index.ts';
import { closeSocket } from '../../net/close-socket.ts';
import { type HeartbeatTimes, keepAlive, pausedWhileUnsent } from '../../net/heartbeat.ts';
import { messageBatches } from '../../net/message-batches.ts';
import { type Result, resultSchema } from '../../protocol/messages.ts';
import { channels, messagesOf, writeMessages } from '../../protocol/streams/messages.ts';
import type { ConnectedPeer } from '../router/admission.ts';
import type { Router } from '../router/router.ts';

/** The streams of commands whose senders are connected to this process, by their keys. */
export class DirectStreams {
  readonly #streams = new Map<string, Duplex>();

  /** Offers a stream to the command with a key. Returns a function that takes the offer back. */
  offer(key: string, stream: Duplex): () => void {
    this.#streams.set(key, stream);
    return () => this.#streams.delete(key);
  }

  get(key: string): Duplex | undefined {
    return this.#streams.get(key);
  }
}

export interface ShellTarget {
  namespace: string;
  name: string;
  container?: string;
}

/** Names of namespaces, pods and containers. */
const objectName = /^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/;

/** Returns the container that a URL of the Go helm-agent names; undefined if it names none. */
export function shellTargetOf(url: string): ShellTarget | undefined {
  const query = new URLSearchParams(url.split('?').slice(1).join('?'));
  const one = (name: string): string => {
    const values = query.getAll(name);
    return values.length > 1 ? values.join('/') : (values[0] ?? '');
  };
  const [namespace, name, container] = [one('namespace'), one('podName'), one('containerName')];
  const isValid = [namespace, name, container === '' ? name : container].every((text) => objectName.test(text));
  return isValid ? { namespace, name, ...(container !== '' && { container }) } : undefined;
}

export interface RawShellOptions {
  streams: DirectStreams;
  router: Pick<Router, 'receive'>;
  heartbeat: HeartbeatTimes;
}

/** Status codes of RFC 6455. */
const closed = { normally: 1000, byRule: 1008, byError: 1011 } as const;

/** Most bytes of the reason of a close frame. */
const maxReasonBytes = 123;

/**
 * Connects a client of the Go helm-agent with a shell in a container, as the command `exec_pod`:
 * each frame of the client is input, and each binary frame of this end is output of its terminal.
 * The reason with which the connection closes has the exit code, or the error. Never rejects.
 */
export async function serveRawShell(
  socket: WebSocket,
  target: ShellTarget,
  { streams, router, heartbeat }: RawShellOptions,
): Promise<void> {
  const key = randomUUID();
  const [stream, end] = duplexPair();
  const messages = messageBatches(socket);
  const result = Promise.withResolvers<Result>();
  const peer: ConnectedPeer = {
    form: 'v1',
    reply: ({ kind, payload }) => kind === 'result' && result.resolve(resultSchema.parse(JSON.parse(payload))),
  };
  for (const one of [stream, end]) one.on('error', () => undefined); // the command has it as its result
  const left = new AbortController();
  const leave = () => {
    left.abort();
    stream.destroy();
    end.destroy();
  };
  socket.on('error', () => socket.terminate()).once('close', leave);
  const withdraw = streams.offer(key, stream);
  const stopHeartbeat = keepAlive(pausedWhileUnsent(socket), heartbeat, () => socket.terminate());
  try {
    const payload = JSON.stringify({ ...target, stdin: true, tty: true });
    router.receive(Buffer.from(JSON.stringify({ key, type: 'exec_pod', payload })), false, peer);
    const input = passInput(messages, end, left.signal).catch(leave);
    const output = passOutput(end, socket).catch(leave);
    const ended = await result.promise;
    if (!ended.ok) leave();
    await output;
    leave();
    close(socket, ended);
    await input;
  } catch (error) {
    leave();
    close(socket, { ok: false, error: { code: 'internal', message: messageOf(error) } });
  } finally {
    withdraw();
    stopHeartbeat();
  }
}

async function passInput(messages: ReturnType<typeof messageBatches>, end: Duplex, signal: AbortSignal): Promise<void> {
  for await (const batch of messages) {
    for (const { data } of batch) {
      if (end.writable) await writeMessages(end, { channel: channels.input, bytes: data }, signal);
    }
  }
}

async function passOutput(end: Duplex, socket: WebSocket): Promise<void> {
  for await (const { bytes } of messagesOf(end, [channels.output, channels.error])) {
    if (socket.readyState !== socket.OPEN) return;
    await new Promise<void>((resolve) => socket.send(bytes, { binary: true }, () => resolve()));
  }
}

function close(socket: WebSocket, result: Result): void {
  if (result.ok) closeSocket(socket, closed.normally, `exit code ${String(result['exitCode'])}`);
  else {
    const { code, message } = result.error;
    const reason = Buffer.from(`${code}: ${message}`)
      .subarray(0, maxReasonBytes)
      .toString()
      .replace(/\uFFFD$/, '');
    closeSocket(socket, code === 'forbidden' ? closed.byRule : closed.byError, reason);
  }
}
