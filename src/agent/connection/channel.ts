import type { RawData, WebSocket } from 'ws';
import { closeCodes } from '../../protocol/close-codes.ts';
import { keepAlive, type HeartbeatTimes } from '../../protocol/heartbeat.ts';
import { maxBadPackets } from '../../protocol/limits.ts';
import type { Hello } from '../../protocol/messages.ts';
import { encodePacket } from '../../protocol/packet.ts';
import { wireForm, type WireForm } from '../../protocol/subprotocol.ts';
import type { Logger } from '../logger.ts';
import { Outbox } from './outbox.ts';
import type { ConnectedPeer } from '../router/admission.ts';
import { packetOf, type Reply } from '../router/reply.ts';
import type { Router } from '../router/router.ts';

export interface ChannelOptions {
  hello: Hello;
  router: Router;
  log: Logger;
  heartbeat: HeartbeatTimes;
  /** Number of status packets that wait for a slow or disconnected peer. */
  maxStatuses: number;
  /**
   * Closes the connection of a peer that does not read its replies. Default: false; they wait.
   */
  closesSlowPeer?: boolean;
}

/** UTF-16 units that a socket may have to write; further replies wait in the outbox. */
const maxUnwritten = 1024 * 1024;

/** UTF-16 units and number of replies that may wait for a client. */
const maxWaiting = { length: 64 * 1024 * 1024, count: 20_000 };

/** Time after which a peer is asked to confirm what was sent. */
const confirmAfterMs = 100;

/** Time for a peer to confirm that the connection closes. */
const closeTimeoutMs = 1000;

interface Connection {
  socket: WebSocket;
  unwritten: number;
  badPackets: number;
}

/**
 * One peer across its connections. Replies wait here while the peer is disconnected or reads
 * slowly. A pong confirms everything that was sent before its ping. Replies that are not confirmed
 * when a connection is lost are sent again on the next one.
 */
export class Channel implements ConnectedPeer {
  readonly #options: ChannelOptions;
  readonly #outbox: Outbox;
  #connection: Connection | undefined;
  #form: WireForm = 'v1';
  #confirmation: NodeJS.Timeout | undefined;
  readonly #whenEmpty: (() => void)[] = [];
  #retired = false;

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.#outbox = new Outbox(options.maxStatuses);
  }

  /** The form of the newest connection. */
  get form(): WireForm {
    return this.#form;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /**
   * Uses an open socket. Call it in the turn in which the socket opened. Calls `onClose` with the
   * status code when it is closed.
   */
  attach(socket: WebSocket, onClose: (code: number, reason: string) => void): void {
    const { hello, router, log, heartbeat } = this.#options;
    const connection: Connection = { socket, unwritten: 0, badPackets: 0 };
    this.#connection = connection;
    this.#form = wireForm(socket.protocol);
    const stopHeartbeat = keepAlive(socket, heartbeat, () => {
      log.warn({ silenceMs: heartbeat.silenceLimitMs }, 'the peer is silent; closing the connection');
      socket.terminate();
    });
    socket.on('error', (error) => log.warn({ reason: error.message }, 'connection error'));
    socket.on('message', (data, isBinary) => {
      // frames that arrive while the connection closes
      if (socket.readyState !== socket.OPEN) return;
      if (router.receive(bufferOf(data), isBinary, this)) return;
      if (++connection.badPackets <= maxBadPackets) return;
      log.warn({ maxBadPackets }, 'the peer sent too many bad packets; closing the connection');
      void this.#close(connection, closeCodes.protocolViolation, 'too many bad packets');
    });
    socket.on('pong', (data) => this.#confirm(Number(data.toString())));
    socket.once('close', (code, reason) => {
      stopHeartbeat();
      this.#forget(connection);
      onClose(code, reason.toString());
    });
    if (this.#form === 'v1') this.#send(connection, encodePacket({ type: 'hello', payload: JSON.stringify(hello) }));
    if (this.#outbox.dropped > 0) this.#reportDropped();
    this.#outbox.forgetDropped();
    this.#pump();
  }

  reply(reply: Reply): void {
    if (this.#retired) return;
    const before = this.#outbox.dropped;
    this.#outbox.push(reply);
    if (before === 0 && this.#outbox.dropped > 0) this.#reportDropped();
    this.#pump();
    if (!this.#connection || this.#options.closesSlowPeer !== true) return;
    if (this.#outbox.length <= maxWaiting.length && this.#outbox.count <= maxWaiting.count) return;
    this.#options.log.warn(maxWaiting, 'the peer does not read its replies; closing the connection');
    this.#connection.socket.terminate();
  }

  /** Drops all replies, now and later, because the peer will not reconnect. */
  retire(): void {
    this.#retired = true;
    this.#outbox.clear();
  }

  /** Waits until the peer has confirmed everything, at most for the given time. */
  async delivered(withinMs: number): Promise<void> {
    if (this.#outbox.isEmpty) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#whenEmpty.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Closes the connection, if there is one, with 1001. */
  async hangUp(): Promise<void> {
    if (this.#connection) await this.#close(this.#connection, 1001, 'the agent is shutting down');
  }

  async #close({ socket }: Connection, code: number, reason: string): Promise<void> {
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const cutOff = setTimeout(() => socket.terminate(), closeTimeoutMs);
    socket.close(code, reason);
    await closed;
    clearTimeout(cutOff);
  }

  #forget(connection: Connection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    clearTimeout(this.#confirmation);
    this.#confirmation = undefined;
    this.#outbox.rewind();
  }

  /** Logs dropped packets: the first one at once, and their number on the next connection. */
  #reportDropped(): void {
    const { dropped } = this.#outbox;
    this.#options.log.warn({ dropped }, 'dropped status packets: the peer is disconnected or slow');
  }

  #pump(): void {
    const connection = this.#connection;
    if (!connection) return;
    while (connection.unwritten < maxUnwritten) {
      const reply = this.#outbox.take();
      if (!reply) break;
      const packet = packetOf(reply, this.#form);
      if (packet) this.#send(connection, encodePacket(packet));
    }
    if (!this.#outbox.isEmpty) this.#askToConfirm(connection);
  }

  #send(connection: Connection, text: string): void {
    connection.unwritten += text.length;
    connection.socket.send(text, () => {
      // After an error the socket closes, and what was not confirmed is sent again.
      connection.unwritten -= text.length;
      if (this.#connection === connection) this.#pump();
    });
  }

  #askToConfirm({ socket }: Connection): void {
    this.#confirmation ??= setTimeout(() => {
      this.#confirmation = undefined;
      if (socket.readyState === socket.OPEN) socket.ping(String(this.#outbox.mark));
    }, confirmAfterMs);
  }

  #confirm(mark: number): void {
    this.#outbox.confirm(mark);
    if (!this.#outbox.isEmpty) return;
    for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }
}

function bufferOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
