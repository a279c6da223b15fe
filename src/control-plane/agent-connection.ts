import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { closeSocket } from '../net/close-socket.ts';
import { type HeartbeatTimes, keepAlive } from '../net/heartbeat.ts';
import { limitBytes } from '../net/limit-bytes.ts';
import { closeCodes } from '../protocol/close-codes.ts';
import { type Evidence, evidenceSchema } from '../protocol/evidence.ts';
import { maxBadPackets, maxHelloBytes } from '../protocol/limits.ts';
import { type Log, logSchema } from '../protocol/log.ts';
import {
  type Accepted,
  acceptedSchema,
  type Health,
  healthSchema,
  type Hello,
  helloSchema,
  type Journaled,
  journaledSchema,
  type Result,
  resultSchema,
  type Status,
  statusSchema,
} from '../protocol/messages.ts';
import { decodeFrame, encodePacket, type Packet, PacketError } from '../protocol/packet.ts';
import { decodePayload, PayloadError } from '../protocol/payload.ts';
import { FrameReader } from '../protocol/session/frame-reader.ts';
import type { FrameTurns } from '../protocol/session/frame-turns.ts';
import type { Session } from '../protocol/session/session.ts';
import { StreamError } from '../protocol/streams/stream-error.ts';
import { type AcceptStream, Tunnel } from '../protocol/streams/tunnel.ts';
import type { Logger } from './logger.ts';
import type { SignedResult } from './tracked-command.ts';

/** The packets between this process and one of an agent, across their connections. */
type AgentSession = Session<Packet>;

/** Receives an agent's packets. The first one is `hello`. */
export interface AgentListener {
  hello(hello: Hello): void;
  accepted(key: string, accepted: Accepted): void;
  /** `bytes` is the size of the packet. */
  status(key: string, status: Status, bytes: number): void;
  evidence(key: string, evidence: Evidence, bytes: number): void;
  log(key: string, log: Log, bytes: number): void;
  result(key: string, result: Result, bytes: number, signed?: SignedResult): void;
  health(health: Health): void;
  journaled(journaled: Journaled): void;
  /**
   * Called once, when the connection is closed. `isCut` says that neither end has closed it: the
   * network or the agent's process has failed.
   */
  closed(isCut: boolean): void;
}

export interface AgentConnection {
  /** Sends a packet, in the session if there is one. */
  send(packet: Packet): void;
  /**
   * Sends a packet, and all others in the session, from what the agent says it has received on.
   */
  resume(session: AgentSession, greeting: Packet): void;
  /** Accepts streams of the agent from now on. */
  acceptStreams(accept: AcceptStream): void;
  /** Sends a packet that is never sent again. */
  notify(packet: Packet): void;
  /** Calls back when the agent has answered a ping. */
  ping(onPong: () => void): void;
  /** Lets the packets of the agent wait until the function that is returned is called. */
  hold(): () => void;
  /** Aborts when the connection is closed. */
  readonly closed: AbortSignal;
  /** Bytes that wait in this process to be sent. */
  readonly unsentBytes: number;
  /** `code` is a status code of RFC 6455 or of this protocol. */
  close(code: number, reason: string): void;
}

export interface ConnectionOptions {
  /** The stream of bytes below the socket. */
  stream: Duplex;
  heartbeat: HeartbeatTimes;
  turns: FrameTurns;
  /** Time for an agent to send `hello`, in milliseconds. */
  helloTimeoutMs: number;
  log: Logger;
  /** Calls back, in the order of the calls, when all changes so far will not be lost any more. */
  whenStored: (stored: () => void) => void;
  /** Whether no more packets are to be read until all changes so far are stored. */
  isBehind: () => boolean;
}

/** Status code of a WebSocket that neither end has closed. */
const cutCode = 1006;

/** Serves an agent's socket. A packet that cannot be read is logged and ignored. */
export function serveAgent(
  socket: WebSocket,
  listener: AgentListener,
  { stream, heartbeat, turns, helloTimeoutMs, log, whenStored, isBehind }: ConnectionOptions,
): AgentConnection {
  let session: AgentSession | undefined;
  let tunnel: Tunnel | undefined;
  let isClosing = false;
  const closed = new AbortController();
  let pings = 0;
  const close: AgentConnection['close'] = (code, reason) => {
    isClosing = true;
    reader.stop();
    closeSocket(socket, code, reason);
  };
  let isGreeted = false;
  let badPackets = 0;
  let isBehindStore = false;
  const helloTimer = setTimeout(() => close(closeCodes.protocolViolation, 'no hello'), helloTimeoutMs);
  const stopCounting = limitBytes(stream, maxHelloBytes, () => {
    log.warn({ maxHelloBytes }, 'an agent sent too much before its hello');
    socket.terminate();
  });
  const stopHeartbeat = keepAlive(socket, heartbeat, () => socket.terminate());
  socket.on('error', (error) => log.warn({ reason: error.message }, "error on an agent's connection"));
  socket.once('close', () => {
    clearTimeout(helloTimer);
    stopCounting();
    stopHeartbeat();
    closed.abort();
  });
  const dispatchNumbered = (own: AgentSession, packet: Packet, bytes: number) => {
    if (!own.take(packet)) return;
    try {
      dispatch(packet, bytes, listener);
    } finally {
      // one that cannot be read would not be better if it came again
      whenStored(() => own.stored(packet.seq));
    }
  };
  const receive = (frame: Buffer, isBinary: boolean) => {
    const packet = decodeFrame(frame, isBinary);
    if (packet.type === 'hello') {
      if (isGreeted) return;
      const hello = decodePayload(helloSchema, packet.payload);
      isGreeted = true;
      clearTimeout(helloTimer);
      stopCounting();
      listener.hello(hello);
    } else if (isGreeted) {
      if (session) dispatchNumbered(session, packet, frame.length);
      else dispatch(packet, frame.length, listener);
    } else {
      throw new PacketError('packet: the first one must be hello');
    }
  };
  /** Frames that had arrived when the connection was held. */
  let held: Array<Parameters<typeof onFrame>> | undefined;
  const onFrame = (frame: Buffer, isBinary: boolean) => {
    if (held) {
      held.push([frame, isBinary]);
      return;
    }
    try {
      if (isBinary && tunnel) tunnel.receive(frame);
      else receive(frame, isBinary);
    } catch (error) {
      if (error instanceof StreamError) {
        log.warn({ reason: error.message }, 'an agent broke the rules of streams');
        close(closeCodes.protocolViolation, error.message);
        return;
      }
      // messages can hold names of fields from the packet
      log.warn({ code: codeOf(error), bytes: frame.length }, 'an agent sent a bad packet');
      if (++badPackets > maxBadPackets) close(closeCodes.protocolViolation, 'too many bad packets');
    }
    if (isBehindStore || !isBehind()) return;
    isBehindStore = true;
    const release = reader.hold();
    whenStored(() => {
      isBehindStore = false;
      release();
    });
  };
  const reader = new FrameReader(socket, {
    turns,
    onFrame,
    onClose(code) {
      session?.detach(socket);
      tunnel?.close();
      listener.closed(code === cutCode && !isClosing);
    },
  });
  return {
    send(packet) {
      if (session) session.push(packet);
      else socket.send(encodePacket(packet));
    },
    acceptStreams(accept) {
      tunnel = new Tunnel(socket, { end: 'control-plane', accept });
    },
    notify(packet) {
      socket.send(encodePacket(packet));
    },
    ping(onPong) {
      const data = `alive ${++pings}`;
      const listen = (answer: Buffer) => {
        if (answer.toString() !== data) return;
        socket.off('pong', listen);
        onPong();
      };
      socket.on('pong', listen);
      socket.ping(data);
    },
    hold() {
      const release = reader.hold();
      held = [];
      return () => {
        const frames = held ?? [];
        held = undefined;
        if (!isClosing) for (const frame of frames) onFrame(...frame);
        release();
      };
    },
    closed: closed.signal,
    get unsentBytes() {
      return socket.bufferedAmount;
    },
    resume(own, greeting) {
      socket.send(encodePacket(greeting));
      session = own;
      own.attach(socket);
    },
    close,
  };
}

/** A result that cannot be read ends its command, because no other one will follow. */
function readResult(payload: string | undefined): { result: Result; isReadable: boolean } {
  try {
    return { result: decodePayload(resultSchema, payload), isReadable: true };
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    const message = `the agent sent a result that cannot be read: ${error.message}`;
    return { result: { ok: false, error: { code: 'internal', message } }, isReadable: false };
  }
}

function dispatch({ key = '', type, payload, envelope }: Packet, bytes: number, listener: AgentListener): void {
  switch (type) {
    case 'accepted': {
      listener.accepted(key, decodePayload(acceptedSchema, payload));
      return;
    }
    case 'status': {
      listener.status(key, decodePayload(statusSchema, payload), bytes);
      return;
    }
    case 'evidence': {
      listener.evidence(key, decodePayload(evidenceSchema, payload), bytes);
      return;
    }
    case 'log': {
      listener.log(key, decodePayload(logSchema, payload), bytes);
      return;
    }
    case 'health': {
      listener.health(decodePayload(healthSchema, payload));
      return;
    }
    case 'journaled': {
      listener.journaled(decodePayload(journaledSchema, payload));
      return;
    }
    case 'result': {
      const { result, isReadable } = readResult(payload);
      const isSigned = isReadable && envelope !== undefined;
      listener.result(key, result, bytes, isSigned ? { envelope, text: payload ?? '' } : undefined);
      return;
    }
    default:
      throw new PacketError('packet: the type is unknown');
  }
}

function codeOf(error: unknown): string {
  return error instanceof PacketError || error instanceof PayloadError ? error.code : 'internal';
}
