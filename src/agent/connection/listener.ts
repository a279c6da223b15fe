import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebSocket } from 'ws';
import { bearsToken } from '../../net/authorization.ts';
import { answerProbe, type Health, type ProbeAnswer } from '../../net/health.ts';
import { type BoundedServer, createBoundedServer } from '../../net/http-server.ts';
import { isLocalHost } from '../../net/local-host.ts';
import { namesThisServer } from '../../net/request-host.ts';
import type { ServerTls } from '../../net/server-tls.ts';
import { createUpgradeListener } from '../../net/websocket-server.ts';
import { wireForm } from '../../protocol/subprotocol.ts';
import { Channel, type ChannelOptions } from './channel.ts';
import type { ListenAddress } from './listen-address.ts';
import { type DirectStreams, serveRawShell, type ShellTarget, shellTargetOf } from './raw-shell.ts';
import type { TokenSource } from './token-file.ts';

export interface ListenerOptions {
  address: ListenAddress;
  /** The token that clients must send. Default: none; every client is served, except web pages. */
  readToken?: TokenSource | undefined;
  /** Allows a host that other machines can reach without a token. */
  insecure: boolean;
  channel: ChannelOptions;
  /** Serves shells at `/container/exe-cmd`. Default: they are not served. */
  shells?: DirectStreams | undefined;
  health: Health;
  /** The certificate of the server. Default: it serves plain HTTP. */
  tls?: ServerTls | undefined;
}

/** Number of connections of clients. */
const maxConnections = 256;

const commandPath = '/exe-cmd';
const execPath = '/container/exe-cmd';

/**
 * Starts the agent's server at the path where clients of the Go helm-agent expect it. Rejects with
 * `InsecureListenError`, and with Node's error if the port cannot be bound.
 */
export async function listen(options: ListenerOptions): Promise<Listener> {
  if (!options.readToken && !options.insecure) requireLocalHost(options.address.host);
  // a token that cannot be read now may be readable later
  if ((await options.readToken?.().catch(() => undefined)) === '') throw new EmptyTokenError();
  const { server, trust } = createBoundedServer(maxConnections, { tls: options.tls });
  const listener = new Listener(server, options, trust);
  await bind(server, options.address);
  server.on('error', (error) => options.channel.log.error({ reason: error.message }, 'listener error'));
  return listener;
}

/** A token that every client would have. */
class EmptyTokenError extends Error {
  override readonly name = 'EmptyTokenError';
  readonly code = 'token_unreadable';

  constructor() {
    super('the token is empty; give a random one, or none');
  }
}

/** The agent as a server of clients. */
export class Listener {
  readonly #server: Server;
  readonly #channel: ChannelOptions;
  readonly #clients = new Set<Channel>();
  readonly #shells = new Set<Promise<void>>();

  constructor(
    server: Server,
    { address, channel, shells, health, readToken }: ListenerOptions,
    trust: BoundedServer['trust'],
  ) {
    this.#server = server;
    this.#channel = channel;
    server.on('request', (request, response) => {
      const { status, text } = answerOf(request.url, health);
      response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(text);
    });
    server.on(
      'upgrade',
      createUpgradeListener({
        peer: 'a client',
        decide: async (request) => {
          const refuse = await refusal(request, address.host, readToken);
          if (refuse !== undefined) return { refuse };
          const isShell = pathOf(request.url) === execPath;
          if (isShell && !shells) return { refuse: '501 Not Implemented' };
          const target = isShell ? shellTargetOf(request.url ?? '') : undefined;
          if (isShell && !target) return { refuse: '400 Bad Request' };
          trust(request.socket);
          if (!shells || !target) return { serve: (socket) => this.#serve(socket) };
          return { serve: (socket) => this.#serveShell(socket, target, shells) };
        },
        log: channel.log,
      }),
    );
  }

  /** The port that is bound, also if port 0 was given. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port; // a TCP server that listens has one
  }

  /** Accepts no more clients. */
  stopListening(): void {
    this.#server.close();
  }

  /**
   * Waits until clients have their last replies, at most for the given time, then closes the
   * connections with 1001.
   */
  async close(deliveryMs: number): Promise<void> {
    this.#server.close();
    await Promise.all([...this.#clients].map((client) => client.delivered(deliveryMs)));
    await Promise.all([...[...this.#clients].map((client) => client.hangUp()), ...this.#shells]);
    this.#server.closeAllConnections();
  }

  #serveShell(socket: WebSocket, target: ShellTarget, streams: DirectStreams): void {
    const { router, heartbeat } = this.#channel;
    const served = serveRawShell(socket, target, { streams, router, heartbeat }).finally(() =>
      this.#shells.delete(served),
    );
    this.#shells.add(served);
  }

  #serve(socket: WebSocket): void {
    const client = new Channel(this.#channel);
    this.#clients.add(client);
    client.attach(socket, wireForm(socket.protocol), () => {
      this.#clients.delete(client);
      client.retire();
    });
  }
}

async function bind(server: Server, { host, port }: ListenAddress): Promise<void> {
  const bound = Promise.withResolvers<undefined>();
  server.once('error', bound.reject);
  server.listen(port, host, () => bound.resolve(undefined));
  await bound.promise;
  server.off('error', bound.reject);
}

/** Returns the response to a request that is not an upgrade. */
function answerOf(url = '', health: Health): Omit<ProbeAnswer, 'status'> & { status: number } {
  const isSocket = [commandPath, execPath].includes(pathOf(url));
  const missing = { status: isSocket ? 426 : 404, text: 'not available\n' };
  return answerProbe(url, health) ?? missing;
}

/** Returns the status line for a client that is refused. */
async function refusal(
  request: IncomingMessage,
  host: string,
  readToken: TokenSource | undefined,
): Promise<string | undefined> {
  const path = pathOf(request.url);
  if (path !== commandPath && path !== execPath) return '404 Not Found';
  if (readToken) return bearsToken(request.headers.authorization, await readToken()) ? undefined : '401 Unauthorized';
  // Browsers always send Origin. With the check of the host, which a web page with a name of its
  // own cannot pass, this keeps web pages from commanding the cluster.
  const isAllowed = request.headers.origin === undefined && namesThisServer(request, host);
  return isAllowed ? undefined : '403 Forbidden';
}

function pathOf(url: string | undefined): string {
  return (url ?? '').split('?')[0] ?? '';
}

/** A server without a token that other machines could reach. */
class InsecureListenError extends Error {
  override readonly name = 'InsecureListenError';
  readonly code = 'insecure_listen';
}

/** Throws `InsecureListenError` if other machines can reach the host. */
function requireLocalHost(host: string): void {
  if (isLocalHost(host)) return;
  throw new InsecureListenError(
    `refusing to listen on ${host} without a token: give a token file, or allow it with --listen-insecure`,
  );
}
