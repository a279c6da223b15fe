import { WebSocket } from 'ws';
import { closeSocket } from '../../net/close-socket.ts';
import { type HeartbeatTimes, keepAlive } from '../../net/heartbeat.ts';
import { closeCodes } from '../../protocol/close-codes.ts';
import type { CommandTable } from '../../protocol/commands/table.ts';
import { maxBadPackets } from '../../protocol/limits.ts';
import { drainSchema, type Hello, type Welcome, welcomeSchema } from '../../protocol/messages.ts';
import { obeyedPace, type Pace } from '../../protocol/pace.ts';
import { encodePacket, type Packet } from '../../protocol/packet.ts';
import { decodePayload, PayloadError } from '../../protocol/payload.ts';
import { FrameReader } from '../../protocol/session/frame-reader.ts';
import type { FrameTurns } from '../../protocol/session/frame-turns.ts';
import { Outbox } from '../../protocol/session/outbox.ts';
import { Session } from '../../protocol/session/session.ts';
import { StreamError } from '../../protocol/streams/stream-error.ts';
import { streamKinds } from '../../protocol/streams/stream-kinds.ts';
import { Tunnel } from '../../protocol/streams/tunnel.ts';
import type { WireForm } from '../../protocol/subprotocol.ts';
import { signResult } from '../../signatures/result-statement.ts';
import type { LocalSigner } from '../../signatures/signer.ts';
import type { ClusterHealth } from '../cluster-health.ts';
import type { Logger } from '../logger.ts';
import type { ConnectedPeer } from '../router/admission.ts';
import { packetOf, type Reply } from '../router/reply.ts';
import type { Router } from '../router/router.ts';
import { mergeStatuses } from './merge-statuses.ts';
import type { TunnelSource } from './tunnel-source.ts';

export interface ChannelOptions {
  hello: Hello;
  /** The commands of replies. */
  table: CommandTable;
  router: Pick<Router, 'receive'>;
  log: Logger;
  heartbeat: HeartbeatTimes;
  turns: FrameTurns;
  /** Number of status packets that wait for a slow or disconnected peer. */
  maxStatuses: number;
  /** Default: `defaultWaitingLimits`. */
  waiting?: WaitingLimits | undefined;
  /**
   * Whether the channel has one connection after the other with the same peer, and numbers its
   * packets. Default: false; what the peer has not read is lost with the connection.
   */
  resumes?: boolean;
  /** State of the cluster, for a peer that wants to know it. Default: it is not sent. */
  clusterHealth?: ClusterHealth | undefined;
  /** Signs results. Default: they are not signed. */
  resultSigner?: LocalSigner | undefined;
  /** Gets the tunnel of each connection. Default: there are no streams. */
  tunnels?: TunnelSource | undefined;
}

/**
 * UTF-16 units and number of replies that may wait for a peer. Beyond them, a peer with one
 * connection loses it, and new commands of one that comes back are refused.
 */
export interface WaitingLimits {
  length: number;
  count: number;
}

const defaultWaitingLimits: WaitingLimits = { length: 64 * 1024 * 1024, count: 20_000 };

/** UTF-16 units of log packets that wait for a peer; the oldest are dropped. */
const maxLogLength = 256 * 1024;

interface Connection {
  socket: WebSocket;
  reader: FrameReader;
  badPackets: number;
  /** The streams of the connection; undefined if the peer does not know them. */
  tunnel?: Tunnel;
  /** Time after which the peer wants the agent to connect again. */
  retryAfterMs?: number;
  /** Time over which the agents of the peer connect again; undefined if it has not said. */
  spreadMs?: number;
  stopHeartbeat: () => void;
}

/** A connection that was closed. */
export interface ClosedConnection {
  /** Status code of the WebSocket. */
  code: number;
  reason: string;
  /** Time after which the peer wants the agent to connect again; undefined if it did not say. */
  retryAfterMs: number | undefined;
  /** Time over which the agents of the peer connect again if they lose it, in milliseconds. */
  spreadMs: number;
}

/**
 * One peer across its connections. Replies wait here while the peer is disconnected or reads
 * slowly, and are sent again if they are not confirmed when a connection is lost.
 */
export class Channel implements ConnectedPeer {
  readonly #options: ChannelOptions;
  readonly #outbox: Outbox<Reply>;
  readonly #session: Session<Reply>;
  #connection: Connection | undefined;
  #connections = 0;
  #form: WireForm = 'v1';
  /** Whether the peer has said that it knows log packets. */
  #takesLogs = false;
  /** Whether the peer has said that it knows health packets. */
  #takesHealth = false;
  #retired = false;

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.#outbox = new Outbox({
      lengthOf: ({ payload }) => payload.length,
      stateOf: ({ kind, key = '' }) => (kind === 'status' ? key : undefined),
      merge: mergeStatuses,
      maxReports: options.maxStatuses,
      isDroppable: ({ kind }) => kind === 'log',
      maxDroppable: maxLogLength,
    });
    this.#session = new Session({
      epoch: options.hello.instanceId,
      outbox: this.#outbox,
      encode: (reply, seq) => {
        if (reply.kind === 'log' && !this.#takesLogs) return undefined;
        const packet = packetOf(reply, this.#form, options.table);
        const isNumbered = options.resumes === true && this.#form === 'v1';
        return packet && encodePacket(isNumbered ? { ...packet, seq } : packet);
      },
    });
  }

  /** The form of the newest connection. */
  get form(): WireForm {
    return this.#form;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Whether too many replies wait for the peer, so that its new commands are refused. */
  get isFull(): boolean {
    const { length, count } = this.#options.waiting ?? defaultWaitingLimits;
    return this.#outbox.length > length || this.#outbox.count > count;
  }

  /**
   * Uses an open socket. Call it in the turn in which the socket opened. Calls `onClose` when it
   * is closed.
   */
  attach(socket: WebSocket, form: WireForm, onClose: (closed: ClosedConnection) => void): void {
    const { log, heartbeat, tunnels, turns } = this.#options;
    const reader = new FrameReader(socket, {
      turns,
      onFrame: (frame, isBinary) => this.#receive(connection, frame, isBinary),
      onClose: (code, reason) => {
        this.#session.detach(socket);
        if (this.#connection === connection) this.#connection = undefined;
        tunnels?.disconnect(connection.tunnel ?? false);
        connection.tunnel?.close();
        const { retryAfterMs, spreadMs = 0 } = connection;
        onClose({ code, reason: reason.toString(), retryAfterMs, spreadMs });
      },
    });
    const stopHeartbeat = this.#startHeartbeat(socket, heartbeat);
    const connection: Connection = { socket, reader, badPackets: 0, stopHeartbeat };
    this.#connection = connection;
    this.#connections++;
    this.#form = form;
    this.#takesLogs = false;
    this.#takesHealth = false;
    socket.on('error', (error) => log.warn({ reason: error.message }, 'connection error'));
    socket.on('pong', (data) => this.#session.pong(data.toString()));
    const stopReporting = this.#options.clusterHealth?.onChange(() => this.#reportHealth());
    socket.once('close', () => {
      connection.stopHeartbeat();
      stopReporting?.();
    });
    if (this.#form === 'v1') socket.send(encodePacket({ type: 'hello', payload: JSON.stringify(this.#hello()) }));
    else tunnels?.connect(false);
    if (this.#outbox.merged > 0) this.#reportMerged();
    this.#outbox.forgetMerged();
    this.#session.attach(socket, { hold: this.#form === 'v1' });
  }

  /** Handles the packets of the connection itself, and those that arrive again. */
  take(packet: Packet): boolean {
    if (this.#form === 'plain') return false;
    if (packet.type === 'welcome') {
      const { resume, packets = [], streams, pace } = welcomeOf(packet);
      this.#takesLogs = packets.includes('log');
      this.#takesHealth = packets.includes('health');
      if (pace) this.#follow(pace);
      this.#session.greet(resume);
      this.#reportHealth();
      this.#openTunnel(streams);
      return true;
    }
    if (packet.type === 'drain') {
      const { retryAfter } = decodePayload(drainSchema, packet.payload);
      if (this.#connection) this.#connection.retryAfterMs = retryAfter * 1000;
      return true;
    }
    if (!this.#session.take(packet)) return true;
    // the agent replies to it, or the process ends, and with it the series
    this.#session.stored(packet.seq);
    return false;
  }

  reply(reply: Reply): void {
    if (this.#retired) return;
    const before = this.#outbox.merged;
    this.#session.push(this.#signed(reply));
    if (before === 0 && this.#outbox.merged > 0) this.#reportMerged();
    if (!this.#connection || this.#options.resumes === true || !this.isFull) return;
    const { length, count } = this.#outbox;
    this.#options.log.warn({ length, count }, 'the peer does not read its replies; closing the connection');
    this.#connection.socket.terminate();
  }

  /** Drops all replies, now and later, because the peer will not reconnect. */
  retire(): void {
    this.#retired = true;
    this.#outbox.clear();
  }

  /** Waits until the peer has confirmed everything, at most for the given time. */
  async delivered(withinMs: number): Promise<void> {
    await this.#session.delivered(withinMs);
  }

  /** Closes the connection, if there is one, with 1001. */
  async hangUp(reason = 'the agent is shutting down'): Promise<void> {
    if (this.#connection) await this.#close(this.#connection, 1001, reason);
  }

  /** Returns a result with the signature of the agent, and any other reply as it is. */
  #signed(reply: Reply): Reply {
    const { resultSigner, hello } = this.#options;
    const { key, fingerprint, payload: result } = reply;
    if (resultSigner === undefined || key === undefined || fingerprint === undefined) return reply;
    return { ...reply, envelope: signResult({ agentId: hello.agentId, key, fingerprint, result }, resultSigner) };
  }

  #startHeartbeat(socket: WebSocket, times: HeartbeatTimes): () => void {
    return keepAlive(socket, times, () => {
      this.#options.log.warn({ silenceMs: times.silenceLimitMs }, 'the peer is silent; closing the connection');
      socket.terminate();
    });
  }

  /** Leaves the pings to the peer, once for each connection. */
  #follow(pace: Pace): void {
    const connection = this.#connection;
    if (this.#options.resumes !== true || connection?.socket.readyState !== WebSocket.OPEN) return;
    if (connection.spreadMs !== undefined) return;
    const { silenceLimitMs, spreadMs } = obeyedPace(pace);
    connection.spreadMs = spreadMs;
    connection.stopHeartbeat();
    connection.stopHeartbeat = this.#startHeartbeat(connection.socket, { pingIntervalMs: Infinity, silenceLimitMs });
  }

  #reportHealth(): void {
    const cluster = this.#options.clusterHealth?.state;
    const { socket } = this.#connection ?? {};
    if (!this.#takesHealth || cluster === undefined || socket?.readyState !== socket?.OPEN) return;
    socket?.send(encodePacket({ type: 'health', payload: JSON.stringify({ cluster }) }));
  }

  #openTunnel(kinds: readonly string[] | undefined): void {
    const { tunnels } = this.#options;
    const connection = this.#connection;
    if (!tunnels || !connection || connection.tunnel) return;
    if (kinds) connection.tunnel = new Tunnel(connection.socket, { end: 'agent' });
    tunnels.connect(connection.tunnel ?? false, kinds);
  }

  #receive(connection: Connection, frame: Buffer, isBinary: boolean): void {
    const { router, log } = this.#options;
    if (isBinary && connection.tunnel) {
      this.#receiveStreams(connection, connection.tunnel, frame);
      return;
    }
    if (router.receive(frame, isBinary, this)) return;
    if (++connection.badPackets <= maxBadPackets) return;
    log.warn({ maxBadPackets }, 'the peer sent too many bad packets; closing the connection');
    void this.#close(connection, closeCodes.protocolViolation, 'too many bad packets');
  }

  #receiveStreams(connection: Connection, tunnel: Tunnel, frame: Buffer): void {
    try {
      tunnel.receive(frame);
    } catch (error) {
      if (!(error instanceof StreamError)) throw error;
      this.#options.log.warn({ reason: error.message }, 'the peer broke the rules of streams; closing the connection');
      void this.#close(connection, closeCodes.protocolViolation, error.message);
    }
  }

  #hello(): Hello {
    const { hello, resumes, tunnels } = this.#options;
    if (resumes !== true) return hello;
    const streams = tunnels && { streams: [...streamKinds] };
    return { ...hello, ...streams, pace: true, resume: { ...this.#session.resume, connection: this.#connections } };
  }

  async #close({ socket, reader }: Connection, code: number, reason: string): Promise<void> {
    reader.stop();
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    closeSocket(socket, code, reason);
    await closed;
  }

  /** Logs merged packets: the first one at once, and their number on the next connection. */
  #reportMerged(): void {
    const { merged } = this.#outbox;
    this.#options.log.warn({ merged }, 'merged status packets: the peer is disconnected or slow');
  }
}

/** Any server may send a welcome; one that cannot be read says nothing. */
function welcomeOf({ payload }: Packet): Partial<Welcome> {
  try {
    return decodePayload(welcomeSchema, payload);
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    return {};
  }
}
