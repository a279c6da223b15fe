import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { limitedTime } from '../../async/index.ts';
import { endsOf, setEnds, type SocketEnds } from '../../net/socket-ends.ts';
import { acceptReplica } from './relay-handshake.ts';

/** Time for another replica to prove that it is one, in milliseconds. */
const defaultHandshakeMs = 5000;

/** Most connections that have not proved that they come from a replica. */
const maxStrangers = 256;

export interface RelayListenerOptions {
  /** Gets the connections of others as if it had accepted them. */
  server: Server | HttpsServer;
  isEncrypted: boolean;
  secret: string;
  randomBytes: (size: number) => Uint8Array;
  /** Time for another replica to prove that it is one, in milliseconds. Default: 5000. */
  handshakeMs?: number;
}

/** Accepts the connections that other replicas relay to the one that leads. */
export class RelayListener {
  readonly #options: RelayListenerOptions;
  readonly #server;
  readonly #sockets = new Set<Socket>();
  /** The ends of relayed connections, by those that Node knows. */
  readonly #ends = new Map<string, SocketEnds>();
  #strangers = 0;
  readonly #onSecure = (socket: TLSSocket): void => {
    const ends = this.#ends.get(nameOf(socket));
    if (ends) setEnds(socket, ends);
  };

  constructor(options: RelayListenerOptions) {
    this.#options = options;
    // as the servers of Node for HTTP and TLS
    this.#server = createServer({ allowHalfOpen: !options.isEncrypted, noDelay: true, keepAlive: true }, (socket) => {
      void this.#accept(socket);
    });
    options.server.on('secureConnection', this.#onSecure);
  }

  /** Returns the port that is bound. Rejects with Node's error if it cannot be bound. */
  async listen(port: number, host: string): Promise<number> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port; // a TCP server that listens has one
  }

  /** Ends all connections. */
  close(): void {
    this.#server.close();
    this.#options.server.off('secureConnection', this.#onSecure);
    for (const socket of this.#sockets) socket.destroy();
  }

  async #accept(socket: Socket): Promise<void> {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => undefined); // `close` follows
    if (this.#strangers >= maxStrangers) {
      socket.destroy();
      return;
    }
    this.#strangers++;
    const { server, secret, randomBytes, handshakeMs = defaultHandshakeMs } = this.#options;
    const time = limitedTime(handshakeMs, undefined);
    try {
      const ends = await acceptReplica(socket, { secret, randomBytes, signal: time.signal });
      if (ends) this.#adopt(socket, ends);
      else socket.destroySoon();
    } catch {
      socket.destroy(); // only replicas use the port
    } finally {
      time.end();
      this.#strangers--;
    }
    if (socket.destroyed || socket.writableEnded) return;
    server.emit('connection', socket);
    socket.resume();
  }

  #adopt(socket: Socket, ends: SocketEnds): void {
    const name = nameOf(socket);
    this.#ends.set(name, ends);
    socket.once('close', () => this.#ends.delete(name));
    setEnds(socket, ends);
  }
}

function nameOf(socket: Socket): string {
  const { remoteAddress, remotePort } = endsOf(socket);
  return `${remoteAddress} ${remotePort}`;
}
