import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Packet } from '../../../src/protocol/packet.ts';

export interface ServedConnection {
  socket: WebSocket;
  request: IncomingMessage;
  packets: Packet[];
  send(packet: object): void;
  /** Returns the first packet with the type and key once it has arrived. */
  packet(type: string, key?: string): Promise<Packet>;
  /** Resolves when the agent knows that the packets so far have arrived. */
  confirmed(): Promise<void>;
  closed: Promise<{ code: number }>;
}

/** A control plane that keeps the packets of agents and sends what a test gives it. */
export class FakeControlPlane {
  readonly connections: ServedConnection[] = [];
  /** The handshakes. `time` is in milliseconds. */
  readonly attempts: { time: number; protocol: string | undefined; authorization: string | undefined }[] = [];
  readonly port: number;
  readonly #close: () => Promise<void>;
  readonly #waiting: (() => void)[] = [];

  constructor(port: number, close: () => Promise<void>) {
    this.port = port;
    this.#close = close;
  }

  /**
   * Without `select`, the first subprotocol is selected, as ws does by default. With `refuse`, a
   * handshake gets the HTTP status that it returns, with the headers of `refusal`. `greeting` is
   * sent together with the handshake.
   */
  static async start(
    options: {
      port?: number;
      select?: () => false;
      refuse?: (attempt: number) => number | undefined;
      refusal?: string;
      greeting?: object;
    } = {},
  ): Promise<FakeControlPlane> {
    const server = createServer();
    const sockets = new WebSocketServer({ noServer: true, ...(options.select && { handleProtocols: options.select }) });
    server.listen(options.port ?? 0, '127.0.0.1');
    await once(server, 'listening');
    const plane = new FakeControlPlane((server.address() as AddressInfo).port, async () => {
      for (const client of sockets.clients) client.terminate();
      server.close();
      await once(server, 'close');
    });
    server.on('upgrade', (request, socket, head) => {
      plane.attempts.push({
        time: performance.now(),
        protocol: request.headers['sec-websocket-protocol'],
        authorization: request.headers.authorization,
      });
      socket.on('error', () => undefined);
      const status = options.refuse?.(plane.attempts.length - 1);
      if (status !== undefined)
        socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n${options.refusal ?? ''}\r\n`);
      else {
        socket.cork();
        sockets.handleUpgrade(request, socket, head, (opened) => {
          plane.#serve(opened, request);
          if (options.greeting) opened.send(JSON.stringify(options.greeting));
        });
        socket.uncork();
      }
    });
    return plane;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  /** Returns the connection with this index once it is open. */
  async connection(index: number): Promise<ServedConnection> {
    return this.#until(() => this.connections[index]);
  }

  /** Returns the first connection that received a packet with the type and key. */
  async connectionWith(type: string, key: string): Promise<ServedConnection> {
    return this.#until(() =>
      this.connections.find(({ packets }) => packets.some((packet) => packet.type === type && packet.key === key)),
    );
  }

  async close(): Promise<void> {
    await this.#close();
  }

  #serve(socket: WebSocket, request: IncomingMessage): void {
    const packets: Packet[] = [];
    /** The number of packets before each ping of the agent, which a pong has confirmed. */
    const pings: number[] = [];
    const closed = once(socket, 'close').then(([code]) => ({ code: code as number }));
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => {
      packets.push(JSON.parse(data.toString()) as Packet);
      this.#wake();
    });
    socket.on('ping', () => {
      pings.push(packets.length);
      this.#wake();
    });
    this.connections.push({
      socket,
      request,
      packets,
      closed,
      confirmed: async () => {
        const count = packets.length;
        await this.#until(() => pings.find((before) => before >= count));
        // the agent reads the pong to its own ping before it responds to this one
        const pong = once(socket, 'pong');
        socket.ping();
        await pong;
      },
      send: (packet) => socket.send(JSON.stringify(packet)),
      packet: (type, key) =>
        this.#until(() => packets.find((one) => one.type === type && (key === undefined || one.key === key))),
    });
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #until<Found>(look: () => Found | undefined): Promise<Found> {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}
