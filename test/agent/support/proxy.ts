import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can go silent: both sides keep their sockets, but no data passes. */
export class PausableProxy {
  readonly port: number;
  readonly #sockets: Set<Socket>;
  readonly #stop: () => void;
  #paused = false;

  constructor(port: number, sockets: Set<Socket>, stop: () => void) {
    this.port = port;
    this.#sockets = sockets;
    this.#stop = stop;
  }

  static async start(target: number): Promise<PausableProxy> {
    const sockets = new Set<Socket>();
    const server = createServer((inbound) => {
      const outbound = connect(target, '127.0.0.1');
      for (const [from, to] of [
        [inbound, outbound],
        [outbound, inbound],
      ] as const) {
        sockets.add(from);
        from.on('data', (data) => {
          if (!proxy.#paused) to.write(data);
        });
        from.on('error', () => undefined);
        from.on('close', () => {
          sockets.delete(from);
          if (!proxy.#paused) to.destroy();
        });
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new PausableProxy((server.address() as AddressInfo).port, sockets, () => server.close());
    return proxy;
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
  }

  stop(): void {
    this.#stop();
    for (const socket of this.#sockets) socket.destroy();
  }
}
