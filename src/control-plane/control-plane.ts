import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultHeartbeat, type HeartbeatTimes } from '../protocol/heartbeat.ts';
import { isLocalHost } from '../protocol/local-host.ts';
import { subprotocol } from '../protocol/subprotocol.ts';
import { createUpgradeListener } from '../protocol/websocket-server.ts';
import { AgentRegistry } from './agent-registry.ts';
import { createApi } from './api.ts';
import type { SendRequest } from './command-methods.ts';
import { CommandStore } from './command-store.ts';
import type { ConnectedAgent } from './connected-agent.ts';
import { Dispatcher } from './dispatcher.ts';
import { ControlPlaneError } from './error.ts';
import { silentLog, type Logger } from './logger.ts';
import type { SentCommand } from './sent-command.ts';
import { isAuthorized, type Token } from './token.ts';

export interface ControlPlaneOptions {
  /**
   * The token that agents must send. Default: none; every client that reaches the port is an agent.
   */
  agentToken?: Token | undefined;
  /** The token that users of the REST API must send. Default: the agents' token. */
  apiToken?: Token | undefined;
  /** Allows listening without a token on a host that other machines can reach. Default: false. */
  insecure?: boolean;
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
  readonly #server = createServer();

  constructor(options: ControlPlaneOptions, { now, newKey }: ControlPlaneHost) {
    this.#options = options;
    const { heartbeat = defaultHeartbeat, version = '', log = silentLog } = options;
    const commands = this.#commands;
    const agents = new AgentRegistry({ commands, heartbeat, log, now, version });
    const dispatcher = new Dispatcher({ agents, commands, newKey });
    this.#agents = agents;
    this.#dispatcher = dispatcher;
    this.#server.on(
      'request',
      createApi({ agents, commands, dispatcher }, options.apiToken ?? options.agentToken, log),
    );
    this.#server.on(
      'upgrade',
      createUpgradeListener({
        peer: 'an agent',
        refusal: (request) => refusal(request, options.agentToken),
        onOpen: (socket) => agents.serve(socket),
        log,
      }),
    );
  }

  /**
   * Starts to serve agents and the REST API, and returns the port that is bound. Rejects with
   * `ControlPlaneError` `insecure_listen`, and with Node's error if the port cannot be bound.
   */
  async listen(port: number, host = '127.0.0.1'): Promise<number> {
    if (!this.#options.agentToken && !this.#options.insecure && !isLocalHost(host)) {
      const message = `refusing to listen on ${host} without a token: give one, or allow it with --listen-insecure`;
      throw new ControlPlaneError('insecure_listen', message);
    }
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
}

/** Returns the status line for an agent that is refused. */
async function refusal({ headers }: IncomingMessage, agentToken: Token | undefined): Promise<string | undefined> {
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim());
  if (!offered?.includes(subprotocol)) return '400 Bad Request';
  if (!(await isAuthorized(headers.authorization, agentToken))) return '401 Unauthorized';
  // An agent sends no Origin; a web page in a browser does.
  return headers.origin === undefined ? undefined : '403 Forbidden';
}
