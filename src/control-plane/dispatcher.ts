import { maxTimerMs } from '../async/index.ts';
import type { CancelCommandMode } from '../protocol/commands/cancel-command.ts';
import type { CommandTable } from '../protocol/commands/table.ts';
import { maxPacketBytes } from '../protocol/limits.ts';
import { encodePacket, type Packet } from '../protocol/packet.ts';
import { resultOfFailure, type Span, type Tracing } from '../tracing/tracing.ts';
import type { ActingUser } from './access/acting-user.ts';
import { commandScope } from './access/command-scope.ts';
import type { Guard } from './access/guard.ts';
import type { AgentRegistry } from './agent-registry.ts';
import type { ChartArchives } from './charts/chart-archives.ts';
import type { CommandIndex } from './command-index.ts';
import type { SendRequest } from './command-methods.ts';
import type { ConnectedAgent } from './connected-agent.ts';
import { ControlPlaneError } from './error.ts';
import type { Logger } from './logger.ts';
import {
  deliverWithinMs,
  fingerprintOf,
  newRecord,
  packetPayload,
  reasonOf,
  requireEnvelope,
  requireSentBy,
  requireText,
  requireTraceparent,
  uploadedChart,
} from './new-command.ts';
import { storedOrKept } from './store/entry-store.ts';
import type { TrackedCommand } from './tracked-command.ts';

export interface DispatcherOptions {
  agents: AgentRegistry;
  commands: CommandIndex;
  charts: Pick<ChartArchives, 'has'>;
  guard: Pick<Guard, 'requireCommand'>;
  /** Whether an agent has a credential, connected or not. */
  isRegistered: (agentId: string) => boolean;
  /** The commands that are known. An agent may know others. */
  table: CommandTable;
  log: Logger;
  tracing: Tracing;
  now: () => Date;
  newKey: () => string;
}

/** Sends commands to agents, and keeps those of agents that are away until they are back. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #expiries = new Map<TrackedCommand, NodeJS.Timeout>();
  readonly #spans = new Set<Span>();
  #isClosed = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Starts to serve the commands that were stored before. */
  start(): void {
    for (const command of this.#options.commands.allOpen()) this.#expire(command);
  }

  close(): void {
    this.#isClosed = true; // the last commands may be stored after this
    for (const timer of this.#expiries.values()) clearTimeout(timer);
    this.#expiries.clear();
    for (const span of this.#spans) span.end('skip');
    this.#spans.clear();
  }

  /** Sends a command, or returns the one that the key already names. Throws `ControlPlaneError`. */
  send(agentId: string, request: SendRequest): TrackedCommand {
    const { agents, commands, charts, guard, isRegistered, table, log, now, newKey, tracing } = this.#options;
    const {
      type,
      key = newKey(),
      signal,
      principal,
      sentBy = principal?.name,
      traceparent: parent,
      envelope,
    } = request;
    signal?.throwIfAborted();
    requireText(key, 'key');
    requireSentBy(sentBy);
    requireTraceparent(parent);
    requireEnvelope(envelope);
    const packet = packetPayload(request);
    const { text: payload, fields } = packet;
    requireText(payload, 'payload');
    const { namespace, releaseName, canChange } = principal
      ? guard.requireCommand(principal, agentId, { type, payload: fields })
      : commandScope(table, type, fields);
    const fingerprint = fingerprintOf(request, payload);
    const known = commands.get(key);
    if (known?.agentId === agentId && known.record.fingerprint === fingerprint) {
      if (signal) cancelWith(signal, known);
      return known;
    }
    if (known) throw new ControlPlaneError('key_reused', `the key ${key} already names another command`);
    const agent = agents.get(agentId);
    const isKnownAgent = commands.knowsAgent(agentId) || isRegistered(agentId);
    const within = deliverWithinMs(request, { waits: isKnownAgent && canChange });
    if (!agent && within === false) {
      throw new ControlPlaneError('agent_not_connected', `no agent is connected as ${agentId}`);
    }
    const chart = uploadedChart(packet);
    if (chart !== undefined && !charts.has(chart)) {
      throw new ControlPlaneError('chart_not_found', `the chart ${chart} is not uploaded; upload it first`);
    }
    const refusal = refusalOf({ key, type, payload, ...(envelope !== undefined && { envelope }) }, agent);
    if (refusal) throw refusal;
    commands.requireAvailable();
    const full = commands.refusal(agentId, payload);
    if (full) throw full;
    const expiresAt = within === false ? undefined : now().getTime() + within;
    const { instanceId } = agent ?? {};
    const span = tracing.begin({ type, key, parent, attributes: { 'helm_agent.agent': agentId } });
    const { traceparent } = span;
    const record = newRecord({
      ...{ key, agentId, type, fingerprint, payload, chart, instanceId, expiresAt, sentBy, traceparent, envelope },
      ...{ namespace, releaseName, createdAt: now().getTime() },
    });
    log.info(
      { agentId, key, type, sentBy, reason: reasonOf(packet), digest: `sha256:${fingerprint}` },
      'command received',
    );
    const command = commands.add(record, (stored) => this.#onStored(stored));
    if (signal) cancelWith(signal, command);
    void this.#endWith(command, span);
    return command;
  }

  /** Sends a command that waits to its agent if that is connected. */
  deliver(command: TrackedCommand): void {
    const { agents } = this.#options;
    const agent = agents.get(command.agentId);
    const { packet } = command;
    if (!agent || !packet) return;
    this.#stopExpiry(command);
    const refusal = refusalOf(packet, agent);
    if (refusal) command.fail(refusal.code, refusal.message);
    else command.assign(agent.instanceId, () => this.#onStored(command));
  }

  /** Cancels a command. Returns whether it was running or waiting. */
  async cancel(command: TrackedCommand, mode: CancelCommandMode | undefined): Promise<boolean> {
    await command.stored.catch(() => undefined); // one that cannot be stored has ended
    if (command.state === 'done') return false;
    if (command.state === 'waiting') {
      this.#stopExpiry(command);
      command.fail('cancelled', 'the command was cancelled before it was sent to the agent');
      return true;
    }
    const payload = { key: command.key, ...(mode && { mode }) };
    const result = await this.send(command.agentId, { type: 'cancel_command', payload }).outcome();
    return result.ok && 'cancelled' in result && result.cancelled;
  }

  /**
   * Forgets an agent that will not come back, and ends its commands. Resolves to the number of
   * these when that is stored. Rejects with `ControlPlaneError`.
   */
  async forgetAgent(agentId: string, user?: ActingUser): Promise<number> {
    const { agents, commands, isRegistered, log } = this.#options;
    requireSentBy(user?.name);
    await commands.stored();
    user?.requireAllowed();
    if (agents.get(agentId)) {
      throw new ControlPlaneError('agent_connected', `the agent ${agentId} is connected; stop it or revoke it first`);
    }
    const open = commands.openOf(agentId);
    if (open.length === 0 && !commands.knowsAgent(agentId) && !isRegistered(agentId)) {
      throw new ControlPlaneError('agent_not_found', `no agent was ever connected as ${agentId}`);
    }
    log.info({ agentId, sentBy: user?.name, commands: open.length }, 'forgetting an agent');
    agents.forget(agentId);
    for (const command of open) {
      this.#stopExpiry(command);
      command.fail('agent_forgotten', `the agent ${agentId} was forgotten before it sent the result`);
    }
    commands.forgetAgent(agentId);
    await storedOrKept({ stored: () => commands.stored() });
    return open.length;
  }

  /** Sends a command that is stored, if the process of the agent that it is for is still there. */
  #onStored(command: TrackedCommand): void {
    if (command.state === 'sent' && !this.#options.agents.send(command)) command.unassign();
    if (command.state !== 'waiting') return;
    this.#expire(command);
    this.deliver(command);
  }

  /** Ends the span of a command when that has a result, unless the control plane stops before. */
  async #endWith(command: TrackedCommand, span: Span): Promise<void> {
    this.#spans.add(span);
    const result = await command.outcome().catch(() => undefined); // it is not known when the store is closed
    if (!this.#spans.delete(span)) return;
    if (!result) span.end('skip');
    else if (result.ok) span.end('success');
    else span.end(resultOfFailure(result.error.code), result.error.code);
  }

  #expire(command: TrackedCommand): void {
    const { expiresAt } = command.record;
    if (command.state !== 'waiting' || expiresAt === undefined || this.#isClosed) return;
    this.#stopExpiry(command);
    const onExpiry = () => {
      this.#expiries.delete(command);
      if (command.state !== 'waiting') return;
      if (expiresAt > this.#options.now().getTime()) {
        this.#expire(command);
        return;
      }
      const message = `the agent ${command.agentId} was not connected in time; the command was not sent`;
      command.fail('command_expired', message);
    };
    const delay = Math.min(maxTimerMs, Math.max(0, expiresAt - this.#options.now().getTime()));
    this.#expiries.set(command, setTimeout(onExpiry, delay));
  }

  #stopExpiry(command: TrackedCommand): void {
    clearTimeout(this.#expiries.get(command));
    this.#expiries.delete(command);
  }
}

/** Returns why an agent cannot get a packet. */
function refusalOf(packet: Packet, agent: ConnectedAgent | undefined): ControlPlaneError | undefined {
  if (agent && !agent.capabilities.includes(packet.type)) {
    return new ControlPlaneError(
      'unknown_command',
      `the agent ${agent.agentId} does not know the command ${packet.type}`,
    );
  }
  const limit = Math.min(agent?.limits.maxPacketBytes ?? Infinity, maxPacketBytes);
  if (isSmall(packet, limit) || Buffer.byteLength(encodePacket(packet)) <= limit) return undefined;
  return new ControlPlaneError('too_large', `the command is larger than ${limit} bytes`);
}

/** Bytes of a packet besides its texts, at most. */
const packetBytes = 256;

/** Bytes of a UTF-16 unit in JSON, at most: it can be escaped. */
const unitBytes = 6;

/** Whether a packet has at most a number of bytes, whatever its texts are. */
function isSmall(packet: Packet, bytes: number): boolean {
  const units = Object.values(packet).reduce((sum: number, text) => sum + String(text).length, 0);
  return packetBytes + units * unitBytes <= bytes;
}

/** Cancels a command when a signal aborts, unless it has ended. */
function cancelWith(signal: AbortSignal, command: TrackedCommand): void {
  if (command.state === 'done') return;
  const onAbort = () => void command.cancel(undefined).catch(() => undefined); // the result says what came of it
  signal.addEventListener('abort', onAbort, { once: true });
  const stop = () => signal.removeEventListener('abort', onAbort);
  void command.outcome().then(stop, stop);
}
