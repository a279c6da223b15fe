import { createHash } from 'node:crypto';
import {
  commandAnswerSchema,
  type Accepted,
  type CommandResult,
  type Result,
  type Status,
} from '../protocol/messages.ts';
import { isCommandType } from '../protocol/commands/index.ts';
import type { Evidence } from '../protocol/evidence.ts';
import type { Packet } from '../protocol/packet.ts';
import { validate } from '../protocol/validation.ts';
import type { CommandEvent, NewEvent } from './command-event.ts';
import type { CommandState, SentCommand } from './sent-command.ts';

/** Number of events of a command that are kept; the oldest are dropped. */
const maxEvents = 5000;

/** Bytes of the packets of the events of a command that are kept; the oldest are dropped. */
const maxEventBytes = 2 * 1024 * 1024;

/** Bytes of an event that has no packet, or a small one. */
const leastEventBytes = 256;

/** A command that was sent to an agent, as the control plane keeps it. */
export class TrackedCommand {
  readonly key: string;
  readonly agentId: string;
  /** Id of the agent's process that got the command. */
  get instanceId(): string {
    return this.#instanceId;
  }

  readonly type: string;
  /** Resolves with the result; never rejects. */
  readonly result: Promise<CommandResult>;
  /** The part of the command that users get. */
  readonly handle: SentCommand;
  readonly #settle: (result: CommandResult) => void;
  readonly #fingerprint: string;
  readonly #events: { event: CommandEvent; bytes: number }[] = [];
  readonly #waiting = new Set<() => void>();
  #instanceId: string;
  #packet: Packet | undefined;
  #isDurable = false;
  #state: CommandState = 'sent';
  #outcome: CommandResult | undefined;
  #bytes = 0;
  #lastId = 0;
  #lastSeq = 0;
  #lastEvidence = 0;

  constructor({ agentId, instanceId }: { agentId: string; instanceId: string }, packet: Packet & { key: string }) {
    this.agentId = agentId;
    this.#instanceId = instanceId;
    this.key = packet.key;
    this.type = packet.type;
    this.#packet = packet;
    this.#fingerprint = fingerprint(packet);
    const { promise, resolve } = Promise.withResolvers<CommandResult>();
    this.result = promise;
    this.#settle = resolve;
    this.handle = handleOf(this);
  }

  get state(): CommandState {
    return this.#state;
  }

  /** Bytes of the packets of all events that are kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The result; undefined until there is one. */
  get outcome(): CommandResult | undefined {
    return this.#outcome;
  }

  /** The packet, until the agent has accepted it. It may hold a password, and is dropped then. */
  get packet(): Packet | undefined {
    return this.#packet;
  }

  /** Whether this is the command of the packet: same agent, type and payload. */
  matches(agentId: string, packet: Packet): boolean {
    return this.agentId === agentId && this.#fingerprint === fingerprint(packet);
  }

  /** Whether another process of the agent may know the command. */
  get isDurable(): boolean {
    return this.#isDurable;
  }

  /** Belongs to another process of the agent from now on. */
  moveTo(instanceId: string): void {
    this.#instanceId = instanceId;
  }

  accepted(accepted: Accepted): void {
    if (this.#state === 'done' || (this.#state === 'accepted' && accepted.resumed !== true)) return;
    this.#state = 'accepted';
    this.#packet = undefined;
    this.#isDurable = accepted.durable;
    if (accepted.resumed === true) {
      this.#lastSeq = 0;
      this.#lastEvidence = 0;
    }
    this.#add({ type: 'accepted', payload: accepted });
  }

  /** Adds a status, unless it is a repetition. `bytes` is the size of its packet. */
  status(status: Status, bytes: number): void {
    if (this.#state === 'done' || status.seq <= this.#lastSeq) return;
    this.#lastSeq = status.seq;
    this.#add({ type: 'status', payload: status }, bytes);
  }

  /** Adds evidence, unless it is a repetition. `bytes` is the size of its packet. */
  evidence(evidence: Evidence, bytes: number): void {
    if (this.#state === 'done' || evidence.seq <= this.#lastEvidence) return;
    this.#lastEvidence = evidence.seq;
    this.#add({ type: 'evidence', payload: evidence }, bytes);
  }

  setConnected(connected: boolean): void {
    if (this.#state !== 'done') this.#add({ type: 'agent', payload: { connected } });
  }

  /** Ends the command. A result that does not fit the command's type becomes a failure. */
  end(result: Result, bytes = 0): void {
    if (this.#state === 'done') return;
    const outcome = typedResult(this.type, result);
    this.#state = 'done';
    this.#packet = undefined;
    this.#outcome = outcome;
    this.#add({ type: 'result', payload: outcome }, bytes);
    this.#settle(outcome);
  }

  /** Returns events with a higher id, until the result or until the signal aborts. */
  async *eventsAfter(id: number, signal?: AbortSignal): AsyncGenerator<CommandEvent> {
    let lastId = id;
    while (!signal?.aborted) {
      const next = this.#firstAfter(lastId);
      if (next) {
        lastId = next.id;
        yield next;
        if (next.type === 'result') return;
      } else if (this.#state === 'done') {
        return;
      } else {
        await this.#nextEvent(signal);
      }
    }
  }

  /** Event ids have no gaps. */
  #firstAfter(id: number): CommandEvent | undefined {
    const oldest = this.#events[0]?.event.id ?? 1;
    return this.#events[Math.max(0, id + 1 - oldest)]?.event;
  }

  #add(event: NewEvent, packetBytes = 0): void {
    const bytes = Math.max(packetBytes, leastEventBytes);
    this.#events.push({ event: { ...event, id: ++this.#lastId }, bytes });
    this.#bytes += bytes;
    while (this.#events.length > 1 && (this.#events.length > maxEvents || this.#bytes > maxEventBytes)) {
      this.#bytes -= this.#events.shift()?.bytes ?? 0;
    }
    for (const wake of [...this.#waiting]) wake();
  }

  async #nextEvent(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const wake = () => resolve(undefined);
    this.#waiting.add(wake);
    signal?.addEventListener('abort', wake, { once: true });
    await promise;
    this.#waiting.delete(wake);
    signal?.removeEventListener('abort', wake);
  }
}

function handleOf(command: TrackedCommand): SentCommand {
  const { key, agentId, type, result } = command;
  return {
    key,
    agentId,
    type,
    result,
    get state() {
      return command.state;
    },
    [Symbol.asyncIterator]: () => command.eventsAfter(0),
  };
}

function typedResult(type: string, result: Result): CommandResult {
  if (!result.ok) return result;
  // A newer agent may know a command that this control plane does not.
  if (!isCommandType(type)) return result;
  const validated = validate(commandAnswerSchema(type), result, 'the result');
  if ('data' in validated) return validated.data;
  const message = `the agent sent a result that does not fit ${type}: ${validated.problems.join('; ')}`;
  return { ok: false, error: { code: 'internal', message } };
}

function fingerprint({ type, payload = '' }: Packet): string {
  return createHash('sha256').update(`${type}\n${payload}`).digest('hex');
}
