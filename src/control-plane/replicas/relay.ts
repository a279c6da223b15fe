import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { limitedTime, Notice, sleep } from '../../async/index.ts';
import { messageOf } from '../../errors/index.ts';
import { endsOf, type SocketEnds } from '../../net/socket-ends.ts';
import type { Logger } from '../logger.ts';
import { isSameLeader, type LeaderPlace } from './leader-place.ts';
import { greetLeader } from './relay-handshake.ts';

/** Time for which a connection waits for a leader, in milliseconds: longer than most changes. */
const defaultWaitMs = 15_000;

/** Time for the leader to accept a connection, in milliseconds. */
const connectMs = 5000;

/** Pauses between questions to the leader whether it is there, in milliseconds. */
const pauseMs = { whenReached: 2000, otherwise: 250, least: 100 };

/** Time for a client to read why its connection is refused, in milliseconds. */
const refusalMs = 1000;

/** The problem before a leader has stored its place. */
const unknownLeader = 'no replica has said where it is';

const refusal = [
  'HTTP/1.1 503 Service Unavailable',
  'Retry-After: 1',
  'Connection: close',
  'Content-Length: 0',
  '\r\n',
].join('\r\n');

export interface RelayOptions {
  /** Returns the place of the replica that leads, as far as it is known. */
  leader: () => LeaderPlace | undefined;
  /** Whether clients expect TLS, so that a refusal cannot be written. */
  isEncrypted: boolean;
  maxConnections: number;
  randomBytes: (size: number) => Uint8Array;
  log: Logger;
  /** Time for which a connection waits for a leader, in milliseconds. Default: 15,000. */
  waitMs?: number;
}

/**
 * Accepts connections while another replica leads, and relays their bytes to it, encrypted ones as
 * they are. Connections that arrive between two leaders wait.
 */
export class Relay {
  readonly #options: RelayOptions;
  readonly #server;
  /** Connections that are not relayed yet. */
  readonly #waiting = new Set<Socket>();
  /** Those that are, with the leader that has them. */
  readonly #relayed = new Map<Socket, LeaderPlace>();
  readonly #ended = new AbortController();
  readonly #reached = new Notice();
  readonly #asked = new Notice();
  /** The leader, if it could be reached when that was tried last. */
  #place: LeaderPlace | undefined;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#server = createServer(
      { allowHalfOpen: !options.isEncrypted, pauseOnConnect: true, noDelay: true, keepAlive: true },
      (socket) => void this.#serve(socket),
    );
    this.#server.maxConnections = options.maxConnections;
  }

  /** Whether the leader can be reached. */
  get isReady(): boolean {
    return this.#place !== undefined;
  }

  /** Returns the port that is bound. Rejects with Node's error if it cannot be bound. */
  async listen(port: number, host: string): Promise<number> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    void this.#watch();
    return (this.#server.address() as AddressInfo).port; // a TCP server that listens has one
  }

  /**
   * Ends what is relayed, and lets a server take over the port, with the connections that wait:
   * those that this process has not accepted yet, too. Resolves when it listens.
   */
  async handOver(server: Server): Promise<void> {
    const waiting = this.#end();
    server.listen(this.#server); // they share the handle, which belongs to `server` from now on
    await once(server, 'listening');
    for (const socket of waiting) {
      server.emit('connection', socket);
      socket.resume();
    }
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#end()) socket.destroy();
  }

  /** Returns the connections that wait. They are paused. */
  #end(): Socket[] {
    this.#ended.abort();
    this.#place = undefined;
    for (const socket of this.#relayed.keys()) socket.destroy();
    const waiting = [...this.#waiting].filter((socket) => !socket.destroyed);
    this.#waiting.clear();
    return waiting;
  }

  /** Asks the leader from time to time whether it is there. */
  async #watch(): Promise<void> {
    const { leader, log } = this.#options;
    const { signal } = this.#ended;
    let last: string | undefined = unknownLeader; // as at each start
    while (!signal.aborted) {
      const place = leader();
      const problem = place ? await this.#problemOf(place) : unknownLeader;
      if (this.#ended.signal.aborted) return;
      this.#use(problem === undefined ? place : undefined);
      if (problem !== last) {
        if (problem === undefined) log.info({}, 'another replica leads; connections are relayed to it');
        else log.warn({ reason: problem }, 'no replica that leads can be reached; connections wait');
      }
      last = problem;
      const pause = problem === undefined ? pauseMs.whenReached : pauseMs.otherwise;
      await this.#asked.next(AbortSignal.any([signal, AbortSignal.timeout(pause)]));
      await sleep(pauseMs.least, signal).catch(() => undefined); // it has ended
    }
  }

  async #problemOf(place: LeaderPlace): Promise<string | undefined> {
    try {
      (await this.#connect(place, undefined, this.#ended.signal)).destroy();
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  #use(place: LeaderPlace | undefined): void {
    this.#place = place;
    if (!place) return;
    this.#reached.give();
    for (const [socket, its] of this.#relayed) {
      if (!isSameLeader(its, place)) socket.destroy();
    }
  }

  async #serve(socket: Socket): Promise<void> {
    socket.on('error', () => undefined); // `close` follows
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    this.#waiting.add(socket);
    const ended = this.#ended.signal;
    const time = limitedTime(this.#options.waitMs ?? defaultWaitMs, AbortSignal.any([gone.signal, ended]));
    try {
      const { upstream, place } = await this.#reach(endsOf(socket), time.signal ?? ended);
      if (!this.#waiting.delete(socket)) {
        upstream.destroy(); // `#end` has the connection
        return;
      }
      this.#relayed.set(socket, place);
      await join(socket, upstream);
      this.#relayed.delete(socket);
    } catch {
      if (ended.aborted && !gone.signal.aborted) return; // `#end` has it
      this.#waiting.delete(socket);
      if (!gone.signal.aborted) this.#refuse(socket);
    } finally {
      time.end();
    }
  }

  /** Connects to the leader, as soon as there is one. */
  async #reach(ends: SocketEnds, signal: AbortSignal): Promise<{ upstream: Socket; place: LeaderPlace }> {
    for (;;) {
      signal.throwIfAborted();
      const place = this.#place;
      if (place) {
        try {
          return { upstream: await this.#connect(place, ends, signal), place };
        } catch {
          signal.throwIfAborted();
          if (this.#place === place) this.#place = undefined;
          this.#asked.give();
        }
      }
      await this.#reached.next(signal);
    }
  }

  async #connect({ host, port, secret }: LeaderPlace, ends: SocketEnds | undefined, signal: AbortSignal) {
    const { isEncrypted, randomBytes } = this.#options;
    const time = limitedTime(connectMs, signal);
    const upstream = connect({ host, port, allowHalfOpen: !isEncrypted, noDelay: true, keepAlive: true });
    upstream.on('error', () => undefined); // `close` follows
    try {
      await greetLeader(upstream, ends, { secret, randomBytes, signal: time.signal });
      return upstream;
    } catch (error) {
      upstream.destroy();
      throw error;
    } finally {
      time.end();
    }
  }

  #refuse(socket: Socket): void {
    if (this.#options.isEncrypted) {
      socket.destroy();
      return;
    }
    const cutOff = setTimeout(() => socket.destroy(), refusalMs);
    socket.once('close', () => clearTimeout(cutOff));
    socket.resume(); // a request that was not read would reset the connection
    socket.end(refusal);
  }
}

/** Passes the bytes of each connection to the other one, until both have ended. */
async function join(one: Socket, other: Socket): Promise<void> {
  try {
    await Promise.all([pipeline(one, other), pipeline(other, one)]);
  } catch {
    // one of them was cut off
  } finally {
    one.destroy();
    other.destroy();
  }
}
