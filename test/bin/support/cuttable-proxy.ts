import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy whose connections can go silent and be cut. */
export interface CuttableProxy {
  port: number;
  /** Accepts data from all connections without forwarding it, or only that of the target. */
  swallow(which?: 'responses'): void;
  /** Cuts all connections, and each new one until `heal`. */
  cut(): void;
  /** Lets new connections through. */
  heal(): void;
  close(): void;
}

/** `target` is a port, or returns one; undefined if nothing listens. */
export async function startCuttableProxy(target: number | (() => number | undefined)): Promise<CuttableProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let isSilent = false;
  let hasNoResponses = false;
  const server = createServer((inbound) => {
    const port = typeof target === 'number' ? target : target();
    if (isCut || port === undefined) {
      inbound.destroy();
      return;
    }
    const outbound = connect(port, '127.0.0.1');
    for (const socket of [inbound, outbound]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(inbound);
        sockets.delete(outbound);
        inbound.destroy();
        outbound.destroy();
      });
    }
    inbound.on('data', (data) => isSilent || outbound.write(data));
    outbound.on('data', (data) => isSilent || hasNoResponses || inbound.write(data));
  });
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    swallow(which) {
      hasNoResponses = true;
      isSilent = which === undefined;
    },
    heal() {
      isSilent = false;
      hasNoResponses = false;
      isCut = false;
    },
    close() {
      server.close();
      cut();
    },
  };
}
