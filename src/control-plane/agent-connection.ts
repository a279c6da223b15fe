import type { WebSocket } from 'ws';
import { keepAlive, type HeartbeatTimes } from '../protocol/heartbeat.ts';
import {
  acceptedSchema,
  helloSchema,
  resultSchema,
  statusSchema,
  type Accepted,
  type Hello,
  type Result,
  type Status,
} from '../protocol/messages.ts';
import { decodePacket, encodePacket, type Packet } from '../protocol/packet.ts';
import { decodePayload } from '../protocol/payload.ts';
import type { Logger } from './logger.ts';

/** Receives an agent's packets. */
export interface AgentListener {
  hello(hello: Hello): void;
  accepted(key: string, accepted: Accepted): void;
  status(key: string, status: Status): void;
  result(key: string, result: Result): void;
  /** Called once, when the connection is closed. */
  closed(): void;
}

export interface AgentConnection {
  send(packet: Packet): void;
  /** `code` is a status code of RFC 6455 or of this protocol. */
  close(code: number, reason: string): void;
}

/** Time for an agent to send `hello`. */
const helloTimeoutMs = 10_000;

/** Time for an agent to confirm that the connection closes. */
const closeTimeoutMs = 1000;

/** Close code for an agent that breaks the protocol. */
const protocolViolation = 4400;

/** Serves an agent's socket. A packet that cannot be read is logged and ignored. */
export function serveAgent(
  socket: WebSocket,
  listener: AgentListener,
  heartbeat: HeartbeatTimes,
  log: Logger,
): AgentConnection {
  const helloTimer = setTimeout(() => socket.close(protocolViolation, 'no hello'), helloTimeoutMs);
  const stopHeartbeat = keepAlive(socket, heartbeat, () => socket.terminate());
  socket.on('error', (error) => log.warn({ reason: error.message }, "error on an agent's connection"));
  socket.once('close', () => {
    clearTimeout(helloTimer);
    stopHeartbeat();
    listener.closed();
  });
  socket.on('message', (data: Buffer) => {
    try {
      const packet = decodePacket(data.toString('utf8'));
      if (packet.type === 'hello') clearTimeout(helloTimer);
      dispatch(packet, listener, log);
    } catch (error) {
      log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'an agent sent a bad packet');
    }
  });
  return {
    send: (packet) => socket.send(encodePacket(packet)),
    close(code, reason) {
      socket.close(code, reason);
      const cutOff = setTimeout(() => socket.terminate(), closeTimeoutMs);
      socket.once('close', () => clearTimeout(cutOff));
    },
  };
}

function dispatch({ key = '', type, payload }: Packet, listener: AgentListener, log: Logger): void {
  switch (type) {
    case 'hello': {
      listener.hello(decodePayload(helloSchema, payload));
      return;
    }
    case 'accepted': {
      listener.accepted(key, decodePayload(acceptedSchema, payload));
      return;
    }
    case 'status': {
      listener.status(key, decodePayload(statusSchema, payload));
      return;
    }
    case 'result': {
      listener.result(key, decodePayload(resultSchema, payload));
      return;
    }
    default:
      log.warn({ type }, 'an agent sent a packet of an unknown type');
  }
}
