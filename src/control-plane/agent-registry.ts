import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { Notice } from '../async/index.ts';
import type { HeartbeatTimes } from '../net/heartbeat.ts';
import { Allowance } from '../protocol/allowance.ts';
import { closeCodes } from '../protocol/close-codes.ts';
import type { Hello } from '../protocol/messages.ts';
import { paceOf } from '../protocol/pace.ts';
import { FrameTurns } from '../protocol/session/frame-turns.ts';
import { streamKinds } from '../protocol/streams/stream-kinds.ts';
import type { TunnelStream } from '../protocol/streams/tunnel-stream.ts';
import { AgentAdmission } from './agent-admission.ts';
import { type AgentConnection, serveAgent } from './agent-connection.ts';
import { AgentSessions } from './agent-sessions.ts';
import type { CommandIndex } from './command-index.ts';
import { type ConnectedAgent, packetFor, unfinishedPackets } from './connected-agent.ts';
import type { Copies } from './copies.ts';
import { lostTooMany } from './handover.ts';
import type { AgentIdentity } from './identity.ts';
import type { LaterCommands } from './later-commands.ts';
import type { ControlPlaneLimits } from './limits.ts';
import type { Logger } from './logger.ts';
import type { TrackedCommand } from './tracked-command.ts';

interface Entry {
  agent: ConnectedAgent;
  connection: AgentConnection;
}

export interface AgentRegistryOptions {
  commands: CommandIndex;
  limits: ControlPlaneLimits;
  heartbeat: HeartbeatTimes;
  /** Time for an agent to send `hello`, in milliseconds. */
  helloTimeoutMs: number;
  log: Logger;
  now: () => Date;
  /** Returns a new random id. */
  newEpoch: () => string;
  version: string;
  /**
   * Calls back, in the order of the calls, when all changes of commands so far will not be lost any
   * more. Agents get their acknowledgements then.
   */
  whenStored: (stored: () => void) => void;
  /** Sends a command that waits for its agent, which is connected now. */
  deliver: (command: TrackedCommand) => void;
  /** Whether an agent has a key, which is then the only way to prove its id. */
  hasKey: (agentId: string) => boolean;
  /** The commands that agents know, and the control plane does not. */
  laterCommands: Pick<LaterCommands, 'request' | 'add'>;
  /** Finds processes that have the identity of an agent and are not of its cluster. */
  copies: Pick<Copies, 'examine' | 'replaced' | 'refused'>;
  /** Whether a command has a stream. */
  hasStream: (command: TrackedCommand) => boolean;
  /** Handles a stream that an agent has opened. */
  acceptStream: (agentId: string, header: unknown, stream: TunnelStream) => void;
  /** Called when an agent has accepted a command, with the seconds since its arrival. */
  onDelivered?: ((seconds: number, command: TrackedCommand) => void) | undefined;
  onConnect: (agent: ConnectedAgent) => void;
  onDisconnect: (agent: ConnectedAgent) => void;
}

/** The packets that agents send only if they are asked to. */
const optionalPackets: ReadonlySet<string> = new Set(['log', 'health', 'journaled']);

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
  /** Connections whose agent has not said `hello`, or is not admitted yet. */
  readonly #silent = new Set<AgentConnection>();
  readonly #sessions: AgentSessions;
  readonly #admission: AgentAdmission;
  readonly #changed = new Notice();
  readonly #turns = new FrameTurns();

  constructor(options: AgentRegistryOptions) {
    this.#options = options;
    const { newEpoch, now, limits } = options;
    this.#sessions = new AgentSessions({ newEpoch, now, max: limits.sessions, suspectAgeMs: limits.suspectAgeMs });
    this.#admission = new AgentAdmission({
      ...options,
      newest: (agentId) => this.#connected.get(agentId)?.at(-1),
      isLate: (hello) => this.#sessions.isLate(hello),
    });
  }

  /** The number of connections whose agent has not said `hello`. */
  get greeting(): number {
    return this.#silent.size;
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
      await this.#changed.next(signal);
    }
  }

  /** Drops what is kept for the next connection of an agent that is not connected. */
  forget(agentId: string): void {
    this.#sessions.forget(agentId);
  }

  /**
   * Sends a command to its instance. If the instance does not receive it, it is sent again on the
   * next connection. Returns false if the instance is not connected.
   */
  send(command: TrackedCommand): boolean {
    const entry = this.#instance(command.agentId, command.instanceId);
    if (!entry) return false;
    this.#sendTo(entry, command);
    this.#removeIfFull(entry);
    return true;
  }

  /** Serves the socket of an agent until it is closed. */
  serve({ socket, stream, identity }: AgentSocket): void {
    const { commands, laterCommands, heartbeat, helloTimeoutMs, log, whenStored, onDelivered } = this.#options;
    let agent: Hello | undefined;
    const strangeKeys = new Allowance({ count: 10, perSecond: 0.1 });
    const own = (key: string) => {
      const command = commands.get(key);
      if (command && command.agentId === agent?.agentId && command.instanceId === agent.instanceId) return command;
      if (strangeKeys.take()) {
        log.warn({ agentId: agent?.agentId, key }, 'an agent sent a packet about a command that it did not get');
      }
      return undefined;
    };
    const answered = (command: TrackedCommand | undefined) => {
      if (agent && command) this.#sessions.get(agent.agentId, agent.instanceId)?.handover.answered(command);
    };
    const connection = serveAgent(
      socket,
      {
        hello: (hello) => {
          this.#admission.admit({ hello, identity, connection }, () => this.#add((agent = hello), connection));
        },
        accepted(key, accepted) {
          const command = own(key);
          const isDelivered = command?.state === 'sent' && !command.isRestored;
          if (isDelivered) onDelivered?.((performance.now() - command.arrivedAt) / 1000, command);
          command?.accepted(accepted);
          answered(command);
        },
        status: (key, status, bytes) => own(key)?.status(status, bytes),
        evidence: (key, evidence, bytes) => own(key)?.evidence(evidence, bytes),
        log: (key, lines, bytes) => own(key)?.log(lines, bytes),
        result: (key, result, bytes, signed) => {
          const command = own(key);
          // the process does not know the suspect that it was asked for, which it gets in its turn
          if (command?.packet && !result.ok && result.error.code === 'agent_restarted') return;
          command?.end(result, bytes, signed);
          answered(command);
          if (!agent) return;
          this.#sessions.get(agent.agentId, agent.instanceId)?.sent.delete(key);
          this.#closeReplaced(agent.agentId);
        },
        health: (health) => {
          const entry = agent && this.#instance(agent.agentId, agent.instanceId);
          if (entry?.connection === connection) entry.agent = { ...entry.agent, ...health };
        },
        journaled: (journaled) => {
          if (agent) for (const packet of laterCommands.add(agent, journaled)) connection.send(packet);
        },
        closed: (isCut) => {
          identity?.revoked?.removeEventListener('abort', revoke);
          this.#silent.delete(connection);
          if (agent) this.#remove(agent, connection, isCut);
        },
      },
      { stream, heartbeat, turns: this.#turns, helloTimeoutMs, log, whenStored, isBehind: () => commands.isBehind },
    );
    this.#silent.add(connection);
    const revoke = () => {
      log.warn({ agentId: identity?.agentId }, 'closing the connection of an agent that is revoked');
      connection.close(closeCodes.revoked, "the agent's credential was revoked");
    };
    identity?.revoked?.addEventListener('abort', revoke, { once: true });
    if (identity?.revoked?.aborted) revoke();
  }

  /** Closes all connections with 1001. Agents connect again after the seconds, or a bit later. */
  async closeAll(retryAfter: number): Promise<void> {
    const reason = 'the control plane is shutting down';
    const payload = JSON.stringify({ reason, retryAfter });
    for (const connection of this.#silent) connection.close(1001, reason);
    for (const { agent, connection } of [...this.#connected.values()].flat()) {
      if (agent.resume) connection.notify({ type: 'drain', payload });
      connection.close(1001, reason);
    }
    while (this.#connected.size > 0) await this.#changed.next();
  }

  #instance(agentId: string, instanceId: string | undefined): Entry | undefined {
    return this.#connected.get(agentId)?.find(({ agent }) => agent.instanceId === instanceId);
  }

  #sendTo({ agent, connection }: Entry, command: TrackedCommand): void {
    const { agentId, instanceId } = agent;
    const { packet, key, record } = command;
    if (!packet) return;
    if (record.chart !== undefined && agent.streams?.includes('chart') !== true) {
      // it would take the name for that of another chart
      const advice = 'update it, or put the chart into a repository';
      command.fail('unsupported', `the agent ${agentId} does not know charts that are uploaded; ${advice}`);
      return;
    }
    if (this.#options.hasStream(command) && agent.streams?.includes('command') !== true) {
      command.fail('unsupported', `the agent ${agentId} does not know streams of commands; update it`);
      return;
    }
    const own = this.#sessions.get(agentId, instanceId);
    own?.sent.add(key);
    if (own) own.handover.add(command);
    else connection.send(packetFor(agent, packet));
  }

  /** Ends the connection of an agent that does not read, or does not confirm what it has read. */
  #removeIfFull({ agent, connection }: Entry): void {
    const { log, limits } = this.#options;
    const { agentId, instanceId } = agent;
    const { count = 0, length = 0 } = this.#sessions.get(agentId, instanceId)?.outbox ?? {};
    const bytes = Math.max(length, connection.unsentBytes);
    if (count <= limits.unconfirmedPackets && bytes <= limits.unconfirmedBytes) return;
    log.warn({ agentId, instanceId, packets: count, bytes }, 'closing the connection of an agent that does not read');
    this.#sessions.restart(agentId, instanceId);
    connection.close(closeCodes.protocolViolation, 'too many packets are not confirmed');
    this.#remove(agent, connection, false);
  }

  #add(hello: Hello, connection: AgentConnection): void {
    this.#silent.delete(connection);
    const { log, now } = this.#options;
    const { agentId, instanceId } = hello;
    this.#instance(agentId, instanceId)?.connection.close(
      closeCodes.replaced,
      'replaced by another connection of this instance',
    );
    const others = this.#connected.get(agentId)?.filter(({ agent }) => agent.instanceId !== instanceId) ?? [];
    const agent = { ...hello, connectedAt: now().toISOString() };
    this.#connected.set(agentId, [...others, { agent, connection }]);
    this.#options.commands.sawAgent(agentId, hello.version);
    log.info({ agentId, instanceId, version: hello.version }, 'agent connected');
    const isNewSession = this.#welcome(hello, connection);
    const own = this.#options.commands.openOf(agentId).filter((command) => command.instanceId === instanceId);
    for (const command of own) {
      command.setConnected(true);
      if (this.#sessions.get(agentId, instanceId)?.sent.has(command.key) === true) continue;
      this.#sendTo({ agent, connection }, command);
    }
    // packets may have arrived, but were not stored before the control plane was restarted
    const isAsked = ({ isRestored }: TrackedCommand) => (hello.resume ? isNewSession : isRestored);
    const asked = own.filter((command) => command.packet === undefined && isAsked(command));
    for (const packet of unfinishedPackets(asked)) connection.send(packet);
    const request = this.#options.laterCommands.request(hello);
    if (request) connection.send(request);
    this.#handOver(agentId);
    this.#closeReplaced(agentId);
    for (const command of this.#options.commands.openOf(agentId)) {
      if (command.state === 'waiting') this.#options.deliver(command);
    }
    this.#options.onConnect(agent);
    this.#changed.give();
  }

  /**
   * Replies to a `hello`, and sends what the agent has not received. Returns whether this process
   * does not know what else it may be missing.
   */
  #welcome(hello: Hello, connection: AgentConnection): boolean {
    const { version, acceptStream, heartbeat, limits, commands } = this.#options;
    const { agentId, resume, packets = [], streams, pace } = hello;
    const agents = Math.max(this.#connected.size, commands.knownAgents().size);
    const taken = packets.filter((type) => optionalPackets.has(type));
    const about = {
      server: 'helm-agent control-plane',
      version,
      ...(taken.length > 0 && { packets: taken }),
      ...(streams && { streams: streamKinds }),
      ...(pace && { pace: paceOf({ agents, perSecond: limits.arrivals, ...heartbeat }) }),
    };
    if (streams) connection.acceptStreams((header, stream) => acceptStream(agentId, header, stream));
    if (!resume) {
      connection.send({ type: 'welcome', payload: JSON.stringify(about) });
      return false;
    }
    const { own, isNew } = this.#sessions.open(hello, resume);
    const payload = JSON.stringify({ ...about, resume: own.session.resume });
    connection.resume(own.session, { type: 'welcome', payload });
    own.handover.connect({
      send: ({ packet }) => packet && connection.send(packetFor(hello, packet)),
      ping: (onPong) => connection.ping(onPong),
    });
    return isNew;
  }

  /** Closes the older instances of an agent that have finished their commands. */
  #closeReplaced(agentId: string): void {
    const older = this.#connected.get(agentId)?.slice(0, -1) ?? [];
    if (older.length === 0) return;
    const busy = new Set(this.#options.commands.openOf(agentId).map(({ instanceId }) => instanceId));
    for (const { agent, connection } of older) {
      if (busy.has(agent.instanceId)) continue;
      this.#options.copies.replaced(agent);
      connection.close(closeCodes.replaced, 'another instance of this agent took over');
    }
  }

  #remove({ agentId, instanceId, version }: Hello, connection: AgentConnection, isCut: boolean): void {
    const entries = this.#connected.get(agentId) ?? [];
    const left = entries.filter((entry) => entry.connection !== connection);
    if (left.length === entries.length) return;
    if (left.length > 0) this.#connected.set(agentId, left);
    else this.#connected.delete(agentId);
    this.#options.commands.sawAgent(agentId, version);
    this.#options.log.info({ agentId, instanceId }, 'agent disconnected');
    const session = this.#sessions.get(agentId, instanceId);
    session?.handover.disconnect();
    if (session) session.isCut = isCut;
    const [gone] = entries.filter((entry) => entry.connection === connection);
    if (gone) this.#options.onDisconnect(gone.agent);
    for (const command of this.#options.commands.openOf(agentId)) {
      if (command.instanceId === instanceId) command.setConnected(false);
    }
    this.#handOver(agentId);
    this.#changed.give();
  }

  /**
   * Handles the commands of instances that were replaced: disconnected while another instance is
   * connected. The newest instance continues those that are durable; all others have ended, and so
   * have those that several processes did not survive.
   */
  #handOver(agentId: string): void {
    const newest = this.#connected.get(agentId)?.at(-1);
    if (!newest) return;
    const { instanceId, durable = false } = newest.agent;
    const asked: TrackedCommand[] = [];
    const suspects: string[] = [];
    for (const command of this.#options.commands.openOf(agentId)) {
      if (command.instanceId === undefined) continue;
      if (this.#instance(agentId, command.instanceId)) continue;
      const isAccepted = command.packet === undefined;
      // whether the instance before had accepted it is not known, but the journal knows
      if (durable && (command.isDurable || !isAccepted)) {
        const lost = this.#sessions.lostWith(command, newest.agent);
        command.moveTo(instanceId, lost);
        if (lost) suspects.push(command.key);
        const problem = lostTooMany(agentId, lost);
        if (problem !== undefined && !isAccepted) {
          command.fail('continued_too_often', problem);
          continue;
        }
        // the process before may have accepted a suspect, which this one continues then
        if (isAccepted || lost) asked.push(command);
        if (!isAccepted) this.#sendTo(newest, command);
        continue;
      }
      const message = `the agent ${agentId} was restarted before it sent the result; check the release before you send the command again`;
      command.fail('agent_restarted', message);
    }
    for (const packet of unfinishedPackets(asked)) newest.connection.send(packet);
    if (suspects.length > 0) {
      const fields = { agentId, commands: suspects.length, first: suspects[0] };
      this.#options.log.warn(fields, 'a process of an agent has ended before it accepted commands');
    }
    const connected = this.#connected.get(agentId) ?? [];
    this.#sessions.keepOnly(agentId, new Set(connected.map(({ agent }) => agent.instanceId)));
  }
}
