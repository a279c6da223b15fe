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

/** What an agent says. */
export interface AgentListener {
  hello(hello: Hello): void;
  accepted(key: string, accepted: Accepted): void;
  status(key: string, status: Status): void;
  result(key: string, result: Result): void;
  /** Once, when the connection is gone. */
  closed(): void;
}

export interface AgentConnection {
  send(packet: Packet): void;
  /** A status code of RFC 6455, or one of this protocol's. */
  close(code: number, reason: string): void;
}

/** How long an agent may take to say hello. */
const HELLO_TIMEOUT_MS = 10_000;

/** How long an agent may take to answer that the connection closes. */
const CLOSE_TIMEOUT_MS = 1000;

/** Closes the connection of an agent that breaks the protocol. */
const PROTOCOL_VIOLATION = 4400;

/** Serves an agent's socket. A packet that cannot be read is logged and passed over. */
export function serveAgent(
  socket: WebSocket,
  listener: AgentListener,
  heartbeat: HeartbeatTimes,
  log: Logger,
): AgentConnection {
  const helloTimer = setTimeout(() => socket.close(PROTOCOL_VIOLATION, 'no hello'), HELLO_TIMEOUT_MS);
  const stopHeartbeat = keepAlive(socket, heartbeat, () => socket.terminate());
  socket.on('error', (error) => log.warn({ reason: error.message }, "error of an agent's connection"));
  socket.once('close', () => {
    clearTimeout(helloTimer);
    stopHeartbeat();
    listener.closed();
  });
  socket.on('message', (data: Buffer) => {
    try {
      const packet = decodePacket(data.toString('utf8'));
      if (packet.type === 'hello') clearTimeout(helloTimer);
      hear(packet, listener, log);
    } catch (error) {
      log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'an agent sent a bad packet');
    }
  });
  return {
    send: (packet) => socket.send(encodePacket(packet)),
    close(code, reason) {
      socket.close(code, reason);
      const cutOff = setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS);
      socket.once('close', () => clearTimeout(cutOff));
    },
  };
}

function hear({ key = '', type, payload }: Packet, listener: AgentListener, log: Logger): void {
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
