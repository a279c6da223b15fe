import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { bearsToken } from '../../protocol/authorization.ts';
import { isLocalHost } from '../../protocol/local-host.ts';
import { MAX_FRAME_BYTES } from '../../protocol/limits.ts';
import { selectSubprotocol } from '../../protocol/subprotocol.ts';
import { Channel, type ChannelOptions } from './channel.ts';
import { InsecureListenError } from '../commands/errors.ts';
import type { ListenAddress } from './listen-address.ts';
import type { TokenSource } from './token-file.ts';

export interface ListenerOptions {
  address: ListenAddress;
  /** Clients must bear this token. Without it, every client that reaches the port is served, but no web page is. */
  readToken?: TokenSource | undefined;
  /** Allows a host that others can reach without a token. */
  insecure: boolean;
  channel: ChannelOptions;
  /** What `/readyz` says. */
  isReady: () => boolean;
}

export interface Listener {
  /** The port that is bound, also where 0 was asked for. */
  readonly port: number;
  /** Takes no more clients. */
  stopListening(): void;
  /** Gives each client its last replies, at most for the time given, then closes the connections with 1001. */
  close(deliveryMs: number): Promise<void>;
}

const COMMAND_PATH = '/exe-cmd';
const EXEC_PATH = '/container/exe-cmd';

/** The agent as a server, where clients of the Go helm-agent look for it. Fails where the port cannot be bound, and with `InsecureListenError`. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { host } = options.address;
  if (!options.readToken && !options.insecure && !isLocalHost(host)) throw new InsecureListenError(host);
  const { log } = options.channel;
  const clients = new Set<Channel>();
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    handleProtocols: selectSubprotocol,
    perMessageDeflate: false,
  });

  function welcome(socket: WebSocket): void {
    const channel = new Channel(options.channel);
    clients.add(channel);
    channel.attach(socket, () => {
      clients.delete(channel);
      channel.retire();
    });
  }

  const server = createServer((request, response) => {
    const status = probe(request.url, options.isReady);
    response.writeHead(status, { 'content-type': 'text/plain' }).end(`${status === 200 ? 'ok' : 'not available'}\n`);
  });
  const onSocketError = (error: Error) => log.debug({ reason: error.message }, 'a client went away');
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', onSocketError);
    refusal(request, options.readToken).then(
      (refused) => {
        if (refused === undefined) {
          socket.off('error', onSocketError);
          sockets.handleUpgrade(request, socket, head, welcome);
          return;
        }
        log.warn({ peer: request.socket.remoteAddress, reason: refused }, 'refused a client');
        answer(socket, refused);
      },
      (error: unknown) => {
        log.error({ reason: error instanceof Error ? error.message : String(error) }, 'cannot check a token');
        answer(socket, '500 Internal Server Error');
      },
    );
  });
  await bind(server, options.address);
  server.on('error', (error) => log.error({ reason: error.message }, 'listener error'));

  return {
    port: (server.address() as AddressInfo).port, // a TCP server that listens has one
    stopListening: () => void server.close(),
    async close(deliveryMs) {
      server.close();
      await Promise.all([...clients].map((client) => client.delivered(deliveryMs)));
      await Promise.all([...clients].map((client) => client.hangUp()));
      server.closeAllConnections();
    },
  };
}

async function bind(server: Server, { host, port }: ListenAddress): Promise<void> {
  const bound = Promise.withResolvers<undefined>();
  server.once('error', bound.reject);
  server.listen(port, host, () => bound.resolve(undefined));
  await bound.promise;
  server.off('error', bound.reject);
}

/** Liveness is that this runs at all; readiness is handed in. */
function probe(url: string | undefined, isReady: () => boolean): 200 | 404 | 426 | 503 {
  const path = pathOf(url);
  if (path === '/healthz') return 200;
  if (path === '/readyz') return isReady() ? 200 : 503;
  return path === COMMAND_PATH ? 426 : 404;
}

/** The status line for a client that is not served. */
async function refusal(request: IncomingMessage, readToken: TokenSource | undefined): Promise<string | undefined> {
  const path = pathOf(request.url);
  if (path === EXEC_PATH) return '501 Not Implemented';
  if (path !== COMMAND_PATH) return '404 Not Found';
  if (readToken) return bearsToken(request.headers.authorization, await readToken()) ? undefined : '401 Unauthorized';
  // Browsers always send Origin; without a token it is all that keeps a web page from commanding the cluster.
  return request.headers.origin === undefined ? undefined : '403 Forbidden';
}

function answer(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function pathOf(url: string | undefined): string {
  return (url ?? '').split('?')[0] ?? '';
}
