import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { codeOf, messageOf } from '../../errors/index.ts';
import { closeSocket } from '../../net/close-socket.ts';
import { type HeartbeatTimes, keepAlive, pausedWhileUnsent } from '../../net/heartbeat.ts';
import { parseJson } from '../../protocol/json.ts';
import { FrameReader } from '../../protocol/session/frame-reader.ts';
import type { FrameTurns } from '../../protocol/session/frame-turns.ts';
import {
  channels,
  encodeMessage,
  maxControlBytes,
  maxMessageBytes,
  messagesOf,
} from '../../protocol/streams/messages.ts';
import type { SessionNotice } from '../sessions/live-session.ts';
import type { Attendance, Sessions } from '../sessions/sessions.ts';
import type { TrackedCommand } from '../tracked-command.ts';
import type { CommandStreams } from './command-streams.ts';

/** The largest message of a caller, in bytes: the number of its channel, and what it carries. */
export const maxSessionMessageBytes = 1 + maxMessageBytes;

/** Interval between pings, and time without an answer after which a caller has gone away. */
const sessionHeartbeat: HeartbeatTimes = { pingIntervalMs: 20_000, silenceLimitMs: 60_000 };

/** Time for the result to arrive after the end of the stream. */
const resultWaitMs = 10_000;

/** Status codes of RFC 6455. */
const closed = { normally: 1000, forAgent: 1011, byViolation: 1008 } as const;

export interface SessionOptions {
  streams: Pick<CommandStreams, 'take'>;
  sessions: Pick<Sessions, 'begin'>;
  turns: FrameTurns;
  /** Aborts when the caller's credential is not valid any more, or the control plane stops. */
  signal: AbortSignal;
}

/**
 * Connects the WebSocket of a caller with the stream of a command, until both have ended. Binary
 * messages are the number of a channel (1 byte) and its bytes; text messages of the caller control
 * the command, and the last one of this end has its result. Never rejects.
 */
export async function serveSession(socket: WebSocket, command: TrackedCommand, options: SessionOptions): Promise<void> {
  const { streams, sessions, turns, signal } = options;
  const gone = new AbortController();
  const ended = AbortSignal.any([signal, gone.signal]);
  let stream: Duplex | undefined;
  let attendance: Attendance | undefined;
  let resume: (() => void) | undefined;
  const reader = new FrameReader(socket, {
    turns,
    onFrame(frame, isBinary) {
      const message = callerMessage(frame, isBinary);
      if (message === undefined) {
        closeSocket(socket, closed.byViolation, 'a message does not follow docs/protocol.md');
        gone.abort();
        return;
      }
      if (!isBinary) attendance?.control(frame);
      if (stream?.writable === true && !stream.write(message)) resume ??= reader.hold();
    },
    onClose: () => gone.abort(),
  });
  const release = () => {
    resume?.();
    resume = undefined;
  };
  resume = reader.hold(); // until the agent can take input
  const stopHeartbeat = keepAlive(pausedWhileUnsent(socket), sessionHeartbeat, () => socket.terminate());
  socket.on('error', () => socket.terminate());
  try {
    const taken = await streams.take(command, ended);
    taken.stream.on('error', () => undefined); // `messagesOf` throws it
    const notify = (notice: SessionNotice) => void send(socket, textOf('session', notice));
    attendance = await sessions.begin({ command, ...taken, signal: ended, notify });
    ({ stream } = taken);
    stream.on('drain', release).once('close', release);
    release();
    // each message is written into the memory of the one before, so that a program that writes much
    // leaves no garbage
    const memory = Buffer.allocUnsafeSlow(maxSessionMessageBytes);
    for await (const { channel, bytes } of messagesOf(stream, [channels.output, channels.error])) {
      await attendance?.output(channel, bytes);
      memory.writeUInt8(channel);
      await send(socket, memory.subarray(0, 1 + bytes.copy(memory, 1)));
    }
    stream.end();
  } catch (error) {
    stream?.destroy(error instanceof Error ? error : undefined);
    if (codeOf(error) !== 'stream_ended' && !ended.aborted) {
      await send(socket, textOf('error', { code: codeOf(error) ?? 'stream_lost', message: messageOf(error) }));
    }
  }
  release();
  stopHeartbeat();
  await attendance?.close();
  if (!ended.aborted) await endWithResult(socket, command, gone.signal);
  else closeSocket(socket, closed.normally, 'the session is over');
}

/** Sends the result, which follows the end of the stream, and closes the connection. */
async function endWithResult(socket: WebSocket, command: TrackedCommand, gone: AbortSignal): Promise<void> {
  const over = new AbortController();
  const result = await Promise.race([
    command.outcome().catch(() => undefined), // the control plane was closed before
    sleep(resultWaitMs, undefined, { signal: AbortSignal.any([gone, over.signal]) }).catch(() => undefined),
  ]);
  over.abort();
  if (result) await send(socket, textOf('result', result));
  if (result) closeSocket(socket, closed.normally, 'the command has ended');
  else closeSocket(socket, closed.forAgent, 'the stream to the agent has ended, and the result has not arrived');
}

/** Returns a message of a caller as agents get it; undefined if it breaks the rules. */
function callerMessage(frame: Buffer, isBinary: boolean): Buffer | undefined {
  if (isBinary) {
    const [channel] = frame;
    return channel === channels.input ? encodeMessage({ channel, bytes: frame.subarray(1) }) : undefined;
  }
  if (frame.length > maxControlBytes || !isJson(frame)) return undefined;
  return encodeMessage({ channel: channels.control, bytes: frame });
}

function isJson(frame: Buffer): boolean {
  try {
    parseJson(frame.toString());
    return true;
  } catch {
    return false;
  }
}

function textOf(type: 'result' | 'error' | 'session', payload: object): string {
  return JSON.stringify({ type, payload });
}

/** Resolves when the message is written, or cannot be written any more. */
async function send(socket: WebSocket, message: Buffer | string): Promise<void> {
  if (socket.readyState !== socket.OPEN) return;
  await new Promise<void>((resolve) => socket.send(message, () => resolve()));
}
