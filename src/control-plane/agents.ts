import type { WebSocket } from 'ws';
import type { HeartbeatTimes } from '../protocol/heartbeat.ts';
import type { Hello } from '../protocol/messages.ts';
import { serveAgent, type AgentConnection } from './agent-connection.ts';
import type { CommandStore } from './command-store.ts';
import type { ConnectedAgent } from './connected-agent.ts';
import type { Logger } from './logger.ts';
import type { SentCommand } from './sent-command.ts';

interface Entry {
  agent: ConnectedAgent;
  connection: AgentConnection;
}

export interface AgentsOptions {
  commands: CommandStore;
  heartbeat: HeartbeatTimes;
  log: Logger;
  now: () => Date;
  version: string;
}

/** The close code for a connection that another one of the same instance follows. */
const REPLACED = 4409;

/**
 * The agents that are connected, and what passes between them and their commands. While an agent is upgraded two instances of it may be connected:
 * the newer gets new commands, and the older still answers its own.
 */
export class Agents {
  readonly #options: AgentsOptions;
  /** By agent id; the newest instance last. */
  readonly #connected = new Map<string, Entry[]>();
  readonly #arrivals = new Set<() => void>();

  constructor(options: AgentsOptions) {
    this.#options = options;
  }

  list(): ConnectedAgent[] {
    const newest = [...this.#connected.keys()].sort().map((agentId) => this.get(agentId));
    return newest.filter((agent) => agent !== undefined);
  }

  get(agentId: string): ConnectedAgent | undefined {
    return this.#connected.get(agentId)?.at(-1)?.agent;
  }

  /** The agent, once it is connected. Fails with the signal's reason. */
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

  /** Sends a command to its instance. It is sent again on the next connection where the agent did not accept it on this one. */
  send(command: SentCommand): void {
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
      log.warn({ agentId: agent?.agentId, key }, 'an agent speaks of a command that it was not sent');
      return undefined;
    };
    const connection = serveAgent(
      socket,
      {
        hello: (hello) => {
          if (agent) return;
          agent = hello;
          this.#arrive(hello, connection);
        },
        accepted: (key, accepted) => own(key)?.accepted(accepted),
        status: (key, status) => own(key)?.status(status),
        result: (key, result) => own(key)?.end(result),
        closed: () => {
          if (agent) this.#leave(agent, connection);
        },
      },
      heartbeat,
      log,
    );
  }

  /** Closes all connections with 1001. */
  dismiss(): void {
    for (const { connection } of [...this.#connected.values()].flat())
      connection.close(1001, 'the control plane is stopping');
  }

  #instance(agentId: string, instanceId: string): Entry | undefined {
    return this.#connected.get(agentId)?.find(({ agent }) => agent.instanceId === instanceId);
  }

  #arrive(hello: Hello, connection: AgentConnection): void {
    const { log, now, version } = this.#options;
    const { agentId, instanceId } = hello;
    this.#instance(agentId, instanceId)?.connection.close(REPLACED, 'another connection of this instance follows');
    const others = this.#connected.get(agentId)?.filter(({ agent }) => agent.instanceId !== instanceId) ?? [];
    this.#connected.set(agentId, [...others, { agent: { ...hello, connectedAt: now().toISOString() }, connection }]);
    log.info({ agentId, instanceId, version: hello.version }, 'agent connected');
    connection.send({ type: 'welcome', payload: JSON.stringify({ server: 'helm-agent control-plane', version }) });
    for (const command of this.#options.commands.unfinishedOf(agentId)) {
      if (command.instanceId !== instanceId) continue;
      command.agentIs(true);
      this.send(command);
    }
    this.#endLost(agentId);
    for (const wake of [...this.#arrivals]) wake();
  }

  #leave({ agentId, instanceId }: Hello, connection: AgentConnection): void {
    const entries = this.#connected.get(agentId) ?? [];
    const left = entries.filter((entry) => entry.connection !== connection);
    if (left.length === entries.length) return;
    if (left.length > 0) this.#connected.set(agentId, left);
    else this.#connected.delete(agentId);
    this.#options.log.info({ agentId, instanceId }, 'agent disconnected');
    for (const command of this.#options.commands.unfinishedOf(agentId)) {
      if (command.instanceId === instanceId) command.agentIs(false);
    }
    this.#endLost(agentId);
  }

  /** An instance that is away while another is there will not come back: it was replaced. */
  #endLost(agentId: string): void {
    if (!this.get(agentId)) return;
    for (const command of this.#options.commands.unfinishedOf(agentId)) {
      if (this.#instance(agentId, command.instanceId)) continue;
      const message = `the agent ${agentId} was restarted before it answered; look at the release before you send the command again`;
      command.end({ ok: false, error: { code: 'agent_restarted', message } });
    }
  }
}
