import type { WebSocket } from 'ws';
import type { HeartbeatTimes } from '../protocol/heartbeat.ts';
import type { Hello } from '../protocol/messages.ts';
import { serveAgent, type AgentConnection } from './agent-connection.ts';
import type { CommandStore } from './command-store.ts';
import type { ConnectedAgent } from './connected-agent.ts';
import type { Logger } from './logger.ts';
import type { TrackedCommand } from './tracked-command.ts';

interface Entry {
  agent: ConnectedAgent;
  connection: AgentConnection;
}

export interface AgentRegistryOptions {
  commands: CommandStore;
  heartbeat: HeartbeatTimes;
  log: Logger;
  now: () => Date;
  version: string;
}

/** Close code for a connection that is replaced by another one of the same instance. */
const replaced = 4409;

/**
 * The connected agents, and the packets between them and their commands. While an agent is
 * upgraded, two instances of it can be connected: the newer one gets new commands, and the older
 * one finishes its own.
 */
export class AgentRegistry {
  readonly #options: AgentRegistryOptions;
  /** By agent id; the newest instance last. */
  readonly #connected = new Map<string, Entry[]>();
  readonly #arrivals = new Set<() => void>();

  constructor(options: AgentRegistryOptions) {
    this.#options = options;
  }

  /** Returns the newest instance of each agent, sorted by id. */
  list(): ConnectedAgent[] {
    const newest = [...this.#connected.keys()].sort().map((agentId) => this.get(agentId));
    return newest.filter((agent) => agent !== undefined);
  }

  get(agentId: string): ConnectedAgent | undefined {
    return this.#connected.get(agentId)?.at(-1)?.agent;
  }

  /** Resolves when the agent is connected. Rejects with the signal's reason. */
  async arrival(agentId: string, signal?: AbortSignal): Promise<ConnectedAgent> {
    for (;;) {
      signal?.throwIfAborted();
      const agent = this.get(agentId);
      if (agent) return agent;
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const wake = () => resolve(undefined);
      this.#arrivals.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
      await promise;
      this.#arrivals.delete(wake);
      signal?.removeEventListener('abort', wake);
    }
  }

  /**
   * Sends a command to its instance. If the instance does not accept it, it is sent again on the
   * next connection.
   */
  send(command: TrackedCommand): void {
    const { packet } = command;
    const entry = this.#instance(command.agentId, command.instanceId);
    if (packet && entry) entry.connection.send(packet);
  }

  serve(socket: WebSocket): void {
    const { commands, heartbeat, log } = this.#options;
    let agent: Hello | undefined;
    const own = (key: string) => {
      const command = commands.get(key);
      if (command && command.instanceId === agent?.instanceId) return command;
      log.warn({ agentId: agent?.agentId, key }, 'an agent sent a packet about a command that it did not get');
      return undefined;
    };
    const connection = serveAgent(
      socket,
      {
        hello: (hello) => {
          if (agent) return;
          agent = hello;
          this.#add(hello, connection);
        },
        accepted: (key, accepted) => own(key)?.accepted(accepted),
        status: (key, status) => own(key)?.status(status),
        result: (key, result) => own(key)?.end(result),
        closed: () => {
          if (agent) this.#remove(agent, connection);
        },
      },
      heartbeat,
      log,
    );
  }

  /** Closes all connections with 1001. */
  closeAll(): void {
    for (const { connection } of [...this.#connected.values()].flat())
      connection.close(1001, 'the control plane is shutting down');
  }

  #instance(agentId: string, instanceId: string): Entry | undefined {
    return this.#connected.get(agentId)?.find(({ agent }) => agent.instanceId === instanceId);
  }

  #add(hello: Hello, connection: AgentConnection): void {
    const { log, now, version } = this.#options;
    const { agentId, instanceId } = hello;
    this.#instance(agentId, instanceId)?.connection.close(replaced, 'replaced by another connection of this instance');
    const others = this.#connected.get(agentId)?.filter(({ agent }) => agent.instanceId !== instanceId) ?? [];
    this.#connected.set(agentId, [...others, { agent: { ...hello, connectedAt: now().toISOString() }, connection }]);
    log.info({ agentId, instanceId, version: hello.version }, 'agent connected');
    connection.send({ type: 'welcome', payload: JSON.stringify({ server: 'helm-agent control-plane', version }) });
    for (const command of this.#options.commands.unfinishedOf(agentId)) {
      if (command.instanceId !== instanceId) continue;
      command.setConnected(true);
      this.send(command);
    }
    this.#endLost(agentId);
    for (const wake of [...this.#arrivals]) wake();
  }

  #remove({ agentId, instanceId }: Hello, connection: AgentConnection): void {
    const entries = this.#connected.get(agentId) ?? [];
    const left = entries.filter((entry) => entry.connection !== connection);
    if (left.length === entries.length) return;
    if (left.length > 0) this.#connected.set(agentId, left);
    else this.#connected.delete(agentId);
    this.#options.log.info({ agentId, instanceId }, 'agent disconnected');
    for (const command of this.#options.commands.unfinishedOf(agentId)) {
      if (command.instanceId === instanceId) command.setConnected(false);
    }
    this.#endLost(agentId);
  }

  /**
   * Ends the commands of instances that were replaced: disconnected while another instance is
   * connected.
   */
  #endLost(agentId: string): void {
    if (!this.get(agentId)) return;
    for (const command of this.#options.commands.unfinishedOf(agentId)) {
      if (this.#instance(agentId, command.instanceId)) continue;
      const message = `the agent ${agentId} was restarted before it sent the result; check the release before you send the command again`;
      command.end({ ok: false, error: { code: 'agent_restarted', message } });
    }
  }
}
