import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { closeCodes } from '../protocol/close-codes.ts';
import type { HeartbeatTimes } from '../protocol/heartbeat.ts';
import { maxUnfinished, type Hello } from '../protocol/messages.ts';
import { serveAgent, type AgentConnection } from './agent-connection.ts';
import type { CommandStore } from './command-store.ts';
import type { ConnectedAgent } from './connected-agent.ts';
import type { AgentIdentity } from './identity.ts';
import type { Logger } from './logger.ts';
import type { TrackedCommand } from './tracked-command.ts';

interface Entry {
  agent: ConnectedAgent;
  connection: AgentConnection;
}

export interface AgentRegistryOptions {
  commands: CommandStore;
  heartbeat: HeartbeatTimes;
  /** Time for an agent to send `hello`, in milliseconds. */
  helloTimeoutMs: number;
  log: Logger;
  now: () => Date;
  version: string;
}

/** The socket of an agent after its handshake. */
export interface AgentSocket {
  socket: WebSocket;
  /** The stream of bytes below the socket. */
  stream: Duplex;
  /** The agent that the handshake proved to be; undefined if agents have no credentials. */
  identity: AgentIdentity | undefined;
}

/**
 * The connected agents, and the packets between them and their commands. A second instance of a
 * connected agent takes over if it has the agent's credential, as while the agent is upgraded: it
 * gets the new commands, and the older instance is closed when it has finished its own. Without
 * credentials a second instance is refused.
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

  /** Serves the socket of an agent until it is closed. */
  serve({ socket, stream, identity }: AgentSocket): void {
    const { commands, heartbeat, helloTimeoutMs, log } = this.#options;
    let agent: Hello | undefined;
    const own = (key: string) => {
      const command = commands.get(key);
      if (command && command.agentId === agent?.agentId && command.instanceId === agent.instanceId) return command;
      log.warn({ agentId: agent?.agentId, key }, 'an agent sent a packet about a command that it did not get');
      return undefined;
    };
    const connection = serveAgent(
      socket,
      {
        hello: (hello) => {
          if (!this.#admit(hello, identity, connection)) return;
          agent = hello;
          this.#add(hello, connection);
        },
        accepted: (key, accepted) => own(key)?.accepted(accepted),
        status: (key, status, bytes) => own(key)?.status(status, bytes),
        evidence: (key, evidence, bytes) => own(key)?.evidence(evidence, bytes),
        result: (key, result, bytes) => {
          own(key)?.end(result, bytes);
          if (agent) this.#closeReplaced(agent.agentId);
        },
        closed: () => {
          identity?.revoked?.removeEventListener('abort', revoke);
          if (agent) this.#remove(agent, connection);
        },
      },
      { stream, heartbeat, helloTimeoutMs, log },
    );
    const revoke = () => {
      log.warn({ agentId: identity?.agentId }, 'closing the connection of an agent that is revoked');
      connection.close(closeCodes.revoked, "the agent's credential was revoked");
    };
    identity?.revoked?.addEventListener('abort', revoke, { once: true });
    if (identity?.revoked?.aborted) revoke();
  }

  /** Closes all connections with 1001. */
  closeAll(): void {
    for (const { connection } of [...this.#connected.values()].flat())
      connection.close(1001, 'the control plane is shutting down');
  }

  #instance(agentId: string, instanceId: string): Entry | undefined {
    return this.#connected.get(agentId)?.find(({ agent }) => agent.instanceId === instanceId);
  }

  /** Whether the agent may have the id in its `hello`. Closes its connection if not. */
  #admit({ agentId, instanceId }: Hello, identity: AgentIdentity | undefined, connection: AgentConnection): boolean {
    const { log } = this.#options;
    if (identity && identity.agentId !== agentId) {
      log.warn({ agentId: identity.agentId, claimed: agentId }, 'refused an agent that claims the id of another');
      connection.close(closeCodes.wrongAgent, `this credential is that of another agent than ${agentId}`.slice(0, 120));
      return false;
    }
    const other = this.get(agentId);
    if (!other || other.instanceId === instanceId) return true;
    if (!identity) {
      log.warn({ agentId, instanceId }, 'refused a second agent with the id of a connected one');
      connection.close(closeCodes.replaced, 'another agent is connected with this id');
      return false;
    }
    const fields = { agentId, instanceId, replaced: other.instanceId };
    log.warn(fields, 'a second instance of a connected agent takes over; if it is not an upgrade, check the token');
    return true;
  }

  #add(hello: Hello, connection: AgentConnection): void {
    const { log, now, version } = this.#options;
    const { agentId, instanceId } = hello;
    this.#instance(agentId, instanceId)?.connection.close(
      closeCodes.replaced,
      'replaced by another connection of this instance',
    );
    const others = this.#connected.get(agentId)?.filter(({ agent }) => agent.instanceId !== instanceId) ?? [];
    this.#connected.set(agentId, [...others, { agent: { ...hello, connectedAt: now().toISOString() }, connection }]);
    log.info({ agentId, instanceId, version: hello.version }, 'agent connected');
    connection.send({ type: 'welcome', payload: JSON.stringify({ server: 'helm-agent control-plane', version }) });
    for (const command of this.#options.commands.unfinishedOf(agentId)) {
      if (command.instanceId !== instanceId) continue;
      command.setConnected(true);
      this.send(command);
    }
    this.#handOver(agentId);
    this.#closeReplaced(agentId);
    for (const wake of [...this.#arrivals]) wake();
  }

  /** Closes the older instances of an agent that have finished their commands. */
  #closeReplaced(agentId: string): void {
    const older = this.#connected.get(agentId)?.slice(0, -1) ?? [];
    if (older.length === 0) return;
    const busy = new Set(this.#options.commands.unfinishedOf(agentId).map(({ instanceId }) => instanceId));
    for (const { agent, connection } of older) {
      if (!busy.has(agent.instanceId))
        connection.close(closeCodes.replaced, 'another instance of this agent took over');
    }
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
    this.#handOver(agentId);
  }

  /**
   * Handles the commands of instances that were replaced: disconnected while another instance is
   * connected. The newest instance continues those that are durable; all others have ended.
   */
  #handOver(agentId: string): void {
    const newest = this.#connected.get(agentId)?.at(-1);
    if (!newest) return;
    const { instanceId, durable = false } = newest.agent;
    const asked: string[] = [];
    for (const command of this.#options.commands.unfinishedOf(agentId)) {
      if (this.#instance(agentId, command.instanceId)) continue;
      const isAccepted = command.packet === undefined;
      // whether the instance before had accepted it is not known, but the journal knows
      if (durable && (command.isDurable || !isAccepted)) {
        command.moveTo(instanceId);
        command.setConnected(true);
        if (isAccepted) asked.push(command.key);
        else this.send(command);
        continue;
      }
      const message = `the agent ${agentId} was restarted before it sent the result; check the release before you send the command again`;
      command.end({ ok: false, error: { code: 'agent_restarted', message } });
    }
    for (let start = 0; start < asked.length; start += maxUnfinished) {
      const keys = asked.slice(start, start + maxUnfinished);
      newest.connection.send({ type: 'unfinished', payload: JSON.stringify({ keys }) });
    }
  }
}
