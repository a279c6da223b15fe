import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';

/** A proxy that connects everything to one port. */
export interface TestProxy {
  /** `host:port` of the proxy. */
  address: string;
  /** `host:port` of what clients wanted to connect to, in order. */
  asked: string[];
  /** The credentials that clients sent. */
  credentials: string[];
}

/** Starts a proxy that opens tunnels for `CONNECT` to a port of this machine. */
export async function startHttpProxy(t: ExecutionContext, port: number): Promise<TestProxy> {
  const [asked, credentials] = [new Array<string>(), new Array<string>()];
  const proxy = createHttpServer((_request, response) => response.writeHead(400).end());
  proxy.on('connect', ({ url = '', headers }, socket: Socket) => {
    asked.push(url);
    credentials.push(headers['proxy-authorization'] ?? '');
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    tunnel(socket, port);
  });
  return { address: await listen(t, proxy), asked, credentials };
}

/** Starts a SOCKS5 proxy (RFC 1928) for clients that send names in one packet each. */
export async function startSocksProxy(t: ExecutionContext, port: number): Promise<TestProxy> {
  const asked: string[] = [];
  const proxy = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(Buffer.of(5, 0));
      socket.once('data', (request) => {
        const name = request.subarray(5, -2);
        asked.push(`${request[3] === 3 ? String(name) : 'an address'}:${request.readUInt16BE(request.length - 2)}`);
        socket.write(Buffer.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
        tunnel(socket, port);
      });
    });
  });
  return { address: await listen(t, proxy), asked, credentials: [] };
}

/** Starts a proxy that accepts connections, and does not respond. Returns its `host:port`. */
export async function startSilentProxy(t: ExecutionContext): Promise<string> {
  return await listen(
    t,
    createServer((socket) => socket.on('error', () => undefined)),
  );
}

function tunnel(socket: Socket, port: number): void {
  const target = connect(port, '127.0.0.1');
  for (const [from, to] of [
    [socket, target],
    [target, socket],
  ] as const) {
    from.on('error', () => undefined);
    from.once('close', () => to.destroy());
    from.pipe(to);
  }
}

async function listen(t: ExecutionContext, proxy: Server): Promise<string> {
  const sockets = new Set<Socket>();
  proxy.on('connection', (socket) => sockets.add(socket));
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return `127.0.0.1:${(proxy.address() as AddressInfo).port}`; // a TCP server has no other address
}
