import { createHash } from 'node:crypto';
import type { Packet } from '../protocol/packet.ts';
import type { Accepted, Result, Status } from '../protocol/messages.ts';
import type { CommandEvent, NewEvent } from './command-event.ts';

/** How many events of a command are kept for those who come late; the oldest give way. */
const MAX_EVENTS = 5000;

export type CommandState = 'sent' | 'accepted' | 'done';

/** A command that was sent to an agent, and all that is heard of it. Iterating gives its events, from the first that is kept to the result. */
export class SentCommand implements AsyncIterable<CommandEvent> {
  readonly key: string;
  readonly agentId: string;
  /** The process that got it. */
  readonly instanceId: string;
  readonly type: string;
  /** Never rejects: a failure is a result too. */
  readonly result: Promise<Result>;
  readonly #settle: (result: Result) => void;
  readonly #fingerprint: string;
  readonly #events: CommandEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #packet: Packet | undefined;
  #state: CommandState = 'sent';
  #outcome: Result | undefined;
  #lastId = 0;
  #lastSeq = 0;

  constructor({ agentId, instanceId }: { agentId: string; instanceId: string }, packet: Packet & { key: string }) {
    this.agentId = agentId;
    this.instanceId = instanceId;
    this.key = packet.key;
    this.type = packet.type;
    this.#packet = packet;
    this.#fingerprint = fingerprint(packet);
    const { promise, resolve } = Promise.withResolvers<Result>();
    this.result = promise;
    this.#settle = resolve;
  }

  get state(): CommandState {
    return this.#state;
  }

  /** The result, once there is one. */
  get outcome(): Result | undefined {
    return this.#outcome;
  }

  /** What is to be sent, until the agent has it. It may hold a password, and is forgotten then. */
  get packet(): Packet | undefined {
    return this.#packet;
  }

  /** Whether the packet asks for the same. */
  isFor(agentId: string, packet: Packet): boolean {
    return this.agentId === agentId && this.#fingerprint === fingerprint(packet);
  }

  accepted(accepted: Accepted): void {
    if (this.#state !== 'sent') return;
    this.#state = 'accepted';
    this.#packet = undefined;
    this.#add({ type: 'accepted', payload: accepted });
  }

  /** A status that was heard before is not heard again. */
  status(status: Status): void {
    if (this.#state === 'done' || status.seq <= this.#lastSeq) return;
    this.#lastSeq = status.seq;
    this.#add({ type: 'status', payload: status });
  }

  agentIs(connected: boolean): void {
    if (this.#state !== 'done') this.#add({ type: 'agent', payload: { connected } });
  }

  end(result: Result): void {
    if (this.#state === 'done') return;
    this.#state = 'done';
    this.#packet = undefined;
    this.#outcome = result;
    this.#add({ type: 'result', payload: result });
    this.#settle(result);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<CommandEvent> {
    yield* this.eventsAfter(0);
  }

  /** Events with a higher id, until the result or the signal's abort. */
  async *eventsAfter(id: number, signal?: AbortSignal): AsyncGenerator<CommandEvent> {
    let seen = id;
    while (!signal?.aborted) {
      const next = this.#firstAfter(seen);
      if (next) {
        seen = next.id;
        yield next;
        if (next.type === 'result') return;
      } else if (this.#state === 'done') {
        return;
      } else {
        await this.#news(signal);
      }
    }
  }

  /** Ids follow each other without a gap. */
  #firstAfter(id: number): CommandEvent | undefined {
    const oldest = this.#events[0]?.id ?? 1;
    return this.#events[Math.max(0, id + 1 - oldest)];
  }

  #add(event: NewEvent): void {
    this.#events.push({ ...event, id: ++this.#lastId });
    if (this.#events.length > MAX_EVENTS) this.#events.shift();
    for (const wake of [...this.#waiting]) wake();
  }

  async #news(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const wake = () => resolve(undefined);
    this.#waiting.add(wake);
    signal?.addEventListener('abort', wake, { once: true });
    await promise;
    this.#waiting.delete(wake);
    signal?.removeEventListener('abort', wake);
  }
}

function fingerprint({ type, payload = '' }: Packet): string {
  return createHash('sha256').update(`${type}\n${payload}`).digest('hex');
}
