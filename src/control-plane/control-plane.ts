import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultHeartbeat, type HeartbeatTimes } from '../protocol/heartbeat.ts';
import { createBoundedServer } from '../protocol/http-server.ts';
import { isLocalHost } from '../protocol/local-host.ts';
import { namesThisServer } from '../protocol/request-host.ts';
import { subprotocol } from '../protocol/subprotocol.ts';
import { createUpgradeListener, type Decision } from '../protocol/websocket-server.ts';
import { AgentRegistry } from './agent-registry.ts';
import { createApi } from './api.ts';
import type { SendRequest } from './command-methods.ts';
import { CommandStore } from './command-store.ts';
import type { ConnectedAgent } from './connected-agent.ts';
import { Dispatcher } from './dispatcher.ts';
import { ControlPlaneError } from './error.ts';
import type { AgentIdentity, Authenticate } from './identity.ts';
import { silentLog, type Logger } from './logger.ts';
import type { SentCommand } from './sent-command.ts';
import { requireToken, type Token } from './token.ts';

export interface ControlPlaneOptions {
  /**
   * Authenticates agents; `openAgentsFile` returns one for a file. Each agent must have a
   * credential of its own. Default: agents have no credentials, and an agent is who its `hello`
   * says; only for addresses of this machine.
   */
  authenticate?: Authenticate | undefined;
  /**
   * The token that users of the REST API must send. Default: none; the API is served only if the
   * control plane listens on an address of this machine, and with `insecure`.
   */
  apiToken?: Token | undefined;
  /**
   * Allows listening without credentials on a host that other machines can reach. Default: false.
   */
  insecure?: boolean;
  /** Number of connections, of agents and of users. Default: 10,000. */
  maxConnections?: number;
  /** Time for an agent to send `hello`, in milliseconds. Default: 10,000. */
  helloTimeoutMs?: number;
  /** Default: nothing is logged. */
  log?: Logger;
  heartbeat?: HeartbeatTimes;
  /** The version that agents get in `welcome`. */
  version?: string;
}

/** The clock and the randomness of a control plane. */
export interface ControlPlaneHost {
  now: () => Date;
  newKey: () => string;
}

/** Accepts agents, sends them commands and keeps their results. Everything is kept in memory. */
export class ControlPlaneServer {
  readonly #options: ControlPlaneOptions;
  readonly #commands = new CommandStore();
  readonly #agents: AgentRegistry;
  readonly #dispatcher: Dispatcher;
  readonly #server: Server;
  /** The host that the server listens on; undefined before. */
  #host: string | undefined;

  constructor(options: ControlPlaneOptions, { now, newKey }: ControlPlaneHost) {
    if ('agentToken' in options) {
      throw new TypeError('the option agentToken was removed: give each agent a credential with authenticate');
    }
    this.#options = options;
    const { heartbeat = defaultHeartbeat, helloTimeoutMs = 10_000, version = '', log = silentLog } = options;
    this.#server = createBoundedServer(options.maxConnections ?? 10_000);
    const commands = this.#commands;
    const agents = new AgentRegistry({ commands, heartbeat, helloTimeoutMs, log, now, version });
    const dispatcher = new Dispatcher({ agents, commands, newKey });
    this.#agents = agents;
    this.#dispatcher = dispatcher;
    const access = { token: options.apiToken, openHost: () => this.#openHost() };
    this.#server.on('request', createApi({ agents, commands, dispatcher }, access, log));
    this.#server.on(
      'upgrade',
      createUpgradeListener({
        peer: 'an agent',
        decide: (request) => this.#decide(request),
        log,
      }),
    );
  }

  /**
   * Starts to serve agents and the REST API, and returns the port that is bound. Rejects with
   * `ControlPlaneError` `insecure_listen` or `token_unreadable`, and with Node's error if the port
   * cannot be bound.
   */
  async listen(port: number, host = '127.0.0.1'): Promise<number> {
    const { authenticate, apiToken, insecure } = this.#options;
    if (!authenticate && !insecure && !isLocalHost(host)) {
      const advice = 'give them with --agents-file (authenticate in the SDK), or allow it with --listen-insecure';
      const message = `refusing to listen on ${host} without credentials of agents: ${advice}`;
      throw new ControlPlaneError('insecure_listen', message);
    }
    if (apiToken !== undefined) await requireToken(apiToken);
    this.#host = host;
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port; // a TCP server that listens has one
  }

  /** Closes all connections. Running commands continue in their agents. */
  async close(): Promise<void> {
    this.#agents.closeAll();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Returns the agents that are connected, sorted by id. */
  agents(): ConnectedAgent[] {
    return this.#agents.list();
  }

  /** Resolves when the agent is connected. Rejects with the signal's reason. */
  waitForAgent(agentId: string, signal?: AbortSignal): Promise<ConnectedAgent> {
    return this.#agents.arrival(agentId, signal);
  }

  /** Returns the command with the key, or undefined if it is not known or was forgotten. */
  command(key: string): SentCommand | undefined {
    return this.#commands.get(key)?.handle;
  }

  /**
   * Sends any command that the agent knows. A known key returns the command that has it. Throws
   * `ControlPlaneError` with `agent_not_connected`, `unknown_command`, `key_reused` or `too_large`.
   */
  send(agentId: string, request: SendRequest): SentCommand {
    return this.#dispatcher.send(agentId, request).handle;
  }

  /** Returns the host if requests without a token are served. */
  #openHost(): string | undefined {
    const host = this.#host;
    return host !== undefined && (isLocalHost(host) || this.#options.insecure === true) ? host : undefined;
  }

  /** Decides about the handshake of an agent. */
  async #decide(request: IncomingMessage): Promise<Decision> {
    const { headers } = request;
    const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim());
    if (!offered?.includes(subprotocol)) return { refuse: '400 Bad Request' };
    const { authenticate } = this.#options;
    let identity: AgentIdentity | undefined;
    if (authenticate) {
      identity = await authenticate(request);
      if (!identity) return { refuse: '401 Unauthorized' };
    } else if (!namesThisServer(request, this.#host ?? '')) {
      return { refuse: '403 Forbidden' };
    }
    // An agent sends no Origin; a web page in a browser does.
    if (headers.origin !== undefined) return { refuse: '403 Forbidden' };
    return { serve: (socket, stream) => this.#agents.serve({ socket, stream, identity }) };
  }
}
