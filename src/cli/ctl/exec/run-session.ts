import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import * as z from 'zod';
import { messageOf } from '../../../errors/index.ts';
import { defaultHeartbeat, keepAlive } from '../../../net/heartbeat.ts';
import { messageBatches, type ReceivedMessage } from '../../../net/message-batches.ts';
import { maskOptions } from '../../../net/websocket-mask.ts';
import { resultSchema } from '../../../protocol/messages.ts';
import { channels, maxMessageBytes } from '../../../protocol/streams/messages.ts';
import type { SessionTerminal } from '../../dependencies.ts';
import { oneLine } from '../../text.ts';
import type { SessionAddress } from '../api-client.ts';
import { ApiError } from '../api-request.ts';
import { readAs } from '../read-as.ts';

/** The largest message of the control plane, in bytes. */
const maxSessionBytes = 16 * 1024 * 1024;

/** Most milliseconds until the control plane has opened a session. */
export const handshakeTimeoutMs = 60_000;

const textSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session'),
    payload: z.object({ state: z.string(), user: z.string().optional() }),
  }),
  z.object({ type: z.literal('result'), payload: resultSchema }),
  z.object({ type: z.literal('error'), payload: z.object({ code: z.string(), message: z.string() }) }),
]);

export interface SessionSettings {
  terminal: SessionTerminal;
  /** Whether the input is sent. */
  input: boolean;
  /** Whether the program has a terminal, so that each key is passed on. */
  tty: boolean;
  /** Ends the session. */
  signal: AbortSignal;
  /** Is given what others do with the session: `waiting`, `joined` or `left`. */
  onNotice: (notice: { state: string; user?: string | undefined }) => void;
}

/**
 * Connects the terminal of this program with a command that has a duplex stream, and returns its
 * result. Rejects with `ApiError`, and with the signal's reason.
 */
export async function runSession<Answer extends z.ZodRawShape>(
  address: SessionAddress,
  answer: z.ZodObject<Answer>,
  { terminal, input, tty, signal, onNotice }: SessionSettings,
) {
  const { url, headers, ca } = address;
  const socket = new WebSocket(url, {
    ...{ headers, ca },
    maxPayload: maxSessionBytes,
    perMessageDeflate: false,
    handshakeTimeout: handshakeTimeoutMs,
    ...maskOptions(url),
  });
  const abort = () => socket.terminate();
  signal.addEventListener('abort', abort, { once: true });
  const restore: Array<() => void> = [() => signal.removeEventListener('abort', abort)];
  try {
    const messages = messageBatches(socket);
    await opened(socket);
    restore.push(keepAlive(socket, defaultHeartbeat, () => socket.terminate()));
    if (tty)
      restore.push(
        terminal.startRaw(),
        terminal.onResize(() => resize(socket, terminal)),
      );
    if (input) void sendInput(socket, terminal).catch(() => socket.terminate());
    const result = await receive(messages, { answer, terminal, onNotice });
    signal.throwIfAborted();
    if (result) return result;
    throw new ApiError('the connection to the control plane was lost; the program may have been ended by that', true);
  } finally {
    for (const end of restore) end();
    socket.terminate();
  }
}

/** Returns the text of a notice about the session with a key. */
export function noticeText(state: string, user: string | undefined, key: string): string {
  const name = oneLine(user ?? '');
  if (state === 'joined') return `${name} watches this session.`;
  if (state === 'left') return `${name} does not watch this session any more.`;
  return `The session begins when a second person watches it: helm-agent ctl exec --join ${oneLine(key)}`;
}

export async function opened(socket: WebSocket): Promise<void> {
  const refused = Promise.withResolvers<never>();
  socket.on('error', () => undefined); // `once` rejects with it, and later the socket closes
  socket.once('unexpected-response', (_request: ClientRequest, { statusCode = 0 }: IncomingMessage) => {
    refused.reject(new ApiError(`the control plane refuses the session with ${statusCode}`, false, statusCode));
  });
  try {
    await Promise.race([once(socket, 'open'), refused.promise]);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(`cannot open the session: ${messageOf(error)}`, true);
  }
}

/** Writes what arrives, and returns the result; undefined if the connection is lost before. */
async function receive<Answer extends z.ZodRawShape>(
  messages: AsyncIterable<ReceivedMessage[]>,
  { answer, terminal, onNotice }: Pick<SessionSettings, 'terminal' | 'onNotice'> & { answer: z.ZodObject<Answer> },
) {
  let reason: string | undefined;
  for await (const { data, isBinary } of each(messages)) {
    if (isBinary) {
      await terminal.write(data[0] === channels.error ? 'error' : 'output', data.subarray(1));
      continue;
    }
    const text = readAs(textSchema, JSON.parse(data.toString()), 'message');
    if (text.type === 'session') onNotice(text.payload);
    if (text.type === 'error') reason = `${text.payload.message} (${text.payload.code})`;
    if (text.type !== 'result') continue;
    const { payload } = text;
    // the agent knows only that the stream has ended, and may have sent all of it
    if (reason !== undefined && (payload.ok || payload.error.code === 'stream_lost')) throw new ApiError(reason, false);
    if (payload.ok) return { ok: true as const, answer: readAs(answer, payload, 'result') };
    return payload;
  }
  if (reason !== undefined) throw new ApiError(reason, true);
  return undefined;
}

async function* each(batches: AsyncIterable<ReceivedMessage[]>): AsyncGenerator<ReceivedMessage> {
  for await (const batch of batches) yield* batch;
}

/** Sends the input until it ends, and then says so. */
async function sendInput(socket: WebSocket, terminal: SessionTerminal): Promise<void> {
  for await (const bytes of terminal.input()) {
    for (let start = 0; start < bytes.length; start += maxMessageBytes) {
      const part = bytes.subarray(start, start + maxMessageBytes);
      await send(socket, Buffer.concat([Buffer.of(channels.input), part]));
    }
    if (socket.readyState !== WebSocket.OPEN) return;
  }
  await send(socket, JSON.stringify({ type: 'end' }));
}

function resize(socket: WebSocket, terminal: SessionTerminal): void {
  void send(socket, JSON.stringify({ type: 'resize', ...terminal.size() }));
}

/** Resolves when the message is written, or cannot be written any more. */
async function send(socket: WebSocket, message: Buffer | string): Promise<void> {
  if (socket.readyState !== WebSocket.OPEN) return;
  await new Promise<void>((resolve) => socket.send(message, () => resolve()));
}
