import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { CommandParameters, CommandType } from '../protocol/commands.ts';
import { defaultHeartbeat, type HeartbeatTimes } from '../protocol/heartbeat.ts';
import { isLocalHost } from '../protocol/local-host.ts';
import { MAX_FRAME_BYTES, MAX_PACKET_BYTES } from '../protocol/limits.ts';
import { encodePacket } from '../protocol/packet.ts';
import { selectSubprotocol, SUBPROTOCOL } from '../protocol/subprotocol.ts';
import { Agents } from './agents.ts';
import type { ConnectedAgent } from './connected-agent.ts';
import { createApi } from './api.ts';
import { CommandStore } from './command-store.ts';
import { ControlPlaneError } from './error.ts';
import { silentLog, type Logger } from './logger.ts';
import { SentCommand } from './sent-command.ts';
import { isAuthorized, type Token } from './token.ts';

export interface ControlPlaneOptions {
  /** What agents must bear. Default none: whoever reaches the port is an agent. */
  agentToken?: Token | undefined;
  /** What users of the REST API must bear. Default: the agents' token. */
  apiToken?: Token | undefined;
  /** Allows a host that others can reach without a token. */
  insecure?: boolean;
  log?: Logger;
  heartbeat?: HeartbeatTimes;
  /** Told to agents in `welcome`. */
  version?: string;
}

/** What a control plane takes from outside. */
export interface ControlPlaneHost {
  now: () => Date;
  newKey: () => string;
}

/** The other end of agents: it accepts their connections, sends them commands and hears what comes of them. It keeps everything in memory. */
export class ControlPlaneServer {
  readonly #options: ControlPlaneOptions;
  readonly #host: ControlPlaneHost;
  readonly #log: Logger;
  readonly #commands = new CommandStore();
  readonly #agents: Agents;
  readonly #server = createServer();
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    handleProtocols: selectSubprotocol,
    perMessageDeflate: false,
  });

  constructor(options: ControlPlaneOptions, host: ControlPlaneHost) {
    this.#options = options;
    this.#host = host;
    this.#log = options.log ?? silentLog;
    const { heartbeat = defaultHeartbeat, version = '' } = options;
    this.#agents = new Agents({ commands: this.#commands, heartbeat, log: this.#log, now: host.now, version });
    this.#server.on('request', createApi(this, options.apiToken ?? options.agentToken, this.#log));
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Starts to serve agents and the REST API; yields the port that is bound. Throws `ControlPlaneError` `insecure_listen`. */
  async listen(port: number, host = '127.0.0.1'): Promise<number> {
    if (!this.#options.agentToken && !this.#options.insecure && !isLocalHost(host)) {
      const message = `refusing to listen on ${host} without a token: give one, or allow it with --listen-insecure`;
      throw new ControlPlaneError('insecure_listen', message);
    }
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port; // a TCP server that listens has one
  }

  /** Closes all connections. Commands that are under way go on in their agents. */
  async close(): Promise<void> {
    this.#agents.dismiss();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** The agents that are connected, by id. */
  agents(): ConnectedAgent[] {
    return this.#agents.list();
  }

  /** The agent, once it is connected. Fails with the signal's reason. */
  waitForAgent(agentId: string, signal?: AbortSignal): Promise<ConnectedAgent> {
    return this.#agents.arrival(agentId, signal);
  }

  /** A command that was sent; undefined where there is none of that key, or it was long ago. */
  command(key: string): SentCommand | undefined {
    return this.#commands.get(key);
  }

  install(agentId: string, parameters: CommandParameters['install_release']): SentCommand {
    return this.#sendTyped(agentId, 'install_release', parameters);
  }

  upgrade(agentId: string, parameters: CommandParameters['upgrade_release']): SentCommand {
    return this.#sendTyped(agentId, 'upgrade_release', parameters);
  }

  uninstall(agentId: string, parameters: CommandParameters['uninstall_release']): SentCommand {
    return this.#sendTyped(agentId, 'uninstall_release', parameters);
  }

  list(agentId: string, parameters: CommandParameters['list_releases'] = {}): SentCommand {
    return this.#sendTyped(agentId, 'list_releases', parameters);
  }

  get(agentId: string, parameters: CommandParameters['get_release']): SentCommand {
    return this.#sendTyped(agentId, 'get_release', parameters);
  }

  deploymentInfo(agentId: string, parameters: CommandParameters['deployment_info']): SentCommand {
    return this.#sendTyped(agentId, 'deployment_info', parameters);
  }

  /**
   * Sends any command that the agent knows. A key that is known names the command that has it already. Throws `ControlPlaneError`:
   * `agent_not_connected`, `unknown_command`, `key_reused`, `too_large`.
   */
  send(agentId: string, request: { type: string; payload?: unknown; key?: string | undefined }): SentCommand {
    const { type, key = this.#host.newKey() } = request;
    const packet = { key, type, payload: JSON.stringify(request.payload ?? {}) };
    const known = this.#commands.get(key);
    if (known?.isFor(agentId, packet)) return known;
    if (known) throw new ControlPlaneError('key_reused', `the key ${key} already names another command`);
    const agent = this.#agents.get(agentId);
    if (!agent) throw new ControlPlaneError('agent_not_connected', `no agent is connected as ${agentId}`);
    if (!agent.capabilities.includes(type)) {
      throw new ControlPlaneError('unknown_command', `the agent ${agentId} knows no ${type}`);
    }
    const limit = Math.min(agent.limits.maxPacketBytes, MAX_PACKET_BYTES);
    if (Buffer.byteLength(encodePacket(packet)) > limit) {
      throw new ControlPlaneError('too_large', `the command is larger than ${limit} bytes`);
    }
    const command = new SentCommand(agent, packet);
    this.#commands.add(command);
    this.#agents.send(command);
    return command;
  }

  #sendTyped<Type extends CommandType>(agentId: string, type: Type, payload: CommandParameters[Type]): SentCommand {
    return this.send(agentId, { type, payload });
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const onError = (error: Error) => this.#log.warn({ reason: error.message }, 'an agent went away');
    socket.on('error', onError);
    this.#refusal(request).then(
      (refused) => {
        if (refused === undefined) {
          socket.off('error', onError);
          this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#agents.serve(opened));
          return;
        }
        this.#log.warn({ peer: request.socket.remoteAddress, reason: refused }, 'refused an agent');
        end(socket, refused);
      },
      (error: unknown) => {
        this.#log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'cannot check a token');
        end(socket, '500 Internal Server Error');
      },
    );
  }

  /** The status line for an agent that is not served. */
  async #refusal({ headers }: IncomingMessage): Promise<string | undefined> {
    const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim());
    if (!offered?.includes(SUBPROTOCOL)) return '400 Bad Request';
    const { agentToken } = this.#options;
    if (!(await isAuthorized(headers.authorization, agentToken))) return '401 Unauthorized';
    // An agent sends no Origin; a web page in somebody's browser does.
    return headers.origin === undefined ? undefined : '403 Forbidden';
  }
}

function end(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
