import type { CancelCommandMode } from '../protocol/commands/cancel-command.ts';
import type { CommandTable } from '../protocol/commands/table.ts';
import type { Evidence } from '../protocol/evidence.ts';
import type { Log } from '../protocol/log.ts';
import type { Accepted, CommandResult, Failure, Result, Status } from '../protocol/messages.ts';
import type { Packet } from '../protocol/packet.ts';
import { validate } from '../protocol/validation.ts';
import type { CommandEvent, NewEvent } from './command-event.ts';
import { ControlPlaneError } from './error.ts';
import { EventLog } from './event-log.ts';
import type { CommandState, SentCommand } from './sent-command.ts';
import type { CommandEnd, CommandOutcome, CommandRecord, EventRecord } from './store/command-store.ts';
import type { Change } from './store/store-writer.ts';

/** The part of an index of commands that its commands use. */
export interface CommandContext {
  /** The commands whose results are checked. */
  readonly table: CommandTable;
  /** Stores a change. */
  write(change: Change): void;
  /** Returns the events that are stored. Rejects with `ControlPlaneError` `store_unavailable`. */
  events(key: string): Promise<EventRecord[]>;
  /** Aborts, with a `ControlPlaneError` `store_unavailable`, when the store is closed. */
  readonly closed: AbortSignal;
  /** Returns the place of a result that arrives now. */
  nextEnd(outcome: CommandOutcome): CommandEnd;
  /** Called when the payload or the events have changed. */
  onChanged(command: TrackedCommand): void;
  /** Called when the result is stored. */
  onEnded(command: TrackedCommand, result: CommandResult): void;
  /** Called when the events of a command that has ended were read again. */
  onLoaded(command: TrackedCommand): void;
  cancel(command: TrackedCommand, mode: CancelCommandMode | undefined): Promise<boolean>;
}

/**
 * A command, as the control plane keeps it. Its state is what has arrived; readers of its events
 * get what is stored.
 */
export class TrackedCommand {
  /** When this process got the command, in milliseconds of `performance.now()`. */
  readonly arrivedAt = performance.now();
  readonly #context: CommandContext;
  readonly #log: EventLog;
  readonly #stored = Promise.withResolvers<undefined>();
  #record: CommandRecord;
  #handle: SentCommand | undefined;
  #isStored = false;
  #isRestored = false;
  #isRefused = false;
  /** `seq` of the newest log packet. */
  #lastLog = 0;

  /** `events` are those of a command that runs. Default: they are read when they are needed. */
  constructor(context: CommandContext, record: CommandRecord, events?: EventRecord[]) {
    this.#context = context;
    this.#record = record;
    const load = async () => {
      const read = await context.events(record.key);
      context.onLoaded(this);
      return read;
    };
    this.#lastLog = lastLogOf(events);
    this.#log = new EventLog({ newest: record.lastEvent, events, load, closed: context.closed });
    this.#stored.promise.catch(() => undefined); // callers that wait for it get the error
  }

  /** The part of the command that users get. */
  get handle(): SentCommand {
    return (this.#handle ??= handleOf(this)); // few of the commands that are kept need one
  }

  get key(): string {
    return this.#record.key;
  }

  get agentId(): string {
    return this.#record.agentId;
  }

  get type(): string {
    return this.#record.type;
  }

  get state(): CommandState {
    return this.#record.state;
  }

  get record(): CommandRecord {
    return this.#record;
  }

  /** Id of the agent's process that got the command; undefined if none did. */
  get instanceId(): string | undefined {
    return this.#record.instanceId;
  }

  /**
   * The packet, until the agent has accepted it. It may hold a password, and is dropped then.
   */
  get packet(): (Packet & { key: string }) | undefined {
    const { key, type, payload, sentBy, traceparent, envelope } = this.#record;
    if (payload === undefined) return undefined;
    return {
      key,
      type,
      payload,
      ...(sentBy !== undefined && { sentBy }),
      ...(traceparent !== undefined && { traceparent }),
      ...(envelope !== undefined && { envelope }),
    };
  }

  /**
   * Ids of the processes that have ended while this was the only command that they had not
   * answered; undefined if it is not suspected of ending processes.
   */
  get lostProcesses(): readonly string[] | undefined {
    return this.#record.lostProcesses;
  }

  /** Whether another process of the agent may know the command. */
  get isDurable(): boolean {
    return this.#record.isDurable;
  }

  /** Whether the command is stored. One that is not must not be sent. */
  get isStored(): boolean {
    return this.#isStored;
  }

  /** Whether the command was sent before the control plane was restarted. */
  get isRestored(): boolean {
    return this.#isRestored;
  }

  /** Resolves when the command is stored; see `SentCommand`. */
  get stored(): Promise<void> {
    return this.#stored.promise;
  }

  /** Stores a new command, then calls `onStored`. A command that cannot be stored ends. */
  save(onStored: () => void, onRefused: () => void): void {
    this.#write(this.#record.isConnected ? undefined : { type: 'agent', payload: { connected: false } }, {
      onStored: () => {
        this.#isStored = true;
        this.#stored.resolve(undefined);
        onStored();
      },
      onRefused: () => {
        this.#isRefused = true;
        onRefused();
        const message = 'the control plane could not store the command, and has not sent it; see its log';
        this.#stored.reject(new ControlPlaneError('store_unavailable', message));
        this.fail('store_unavailable', message);
      },
    });
  }

  /**
   * Marks a command that was stored before. Its next events have numbers above `lastEvent`, too.
   */
  restore(lastEvent: number): void {
    this.#isStored = true;
    this.#isRestored = this.#record.state !== 'waiting';
    this.#stored.resolve(undefined);
    if (this.#record.state === 'done') {
      this.#log.end();
      return;
    }
    this.#log.skip(lastEvent);
    this.setConnected(false);
  }

  /** Tells those who wait for events that the store is closed. */
  close(): void {
    this.#log.close();
  }

  /** Frees the memory of the events. */
  unload(): void {
    this.#log.unload();
  }

  /** Gives the command to a process of the agent, and calls `onStored` when that is stored. */
  assign(instanceId: string, onStored: () => void): void {
    const before = this.#record;
    this.#record = { ...before, state: 'sent', instanceId, isConnected: true };
    const event: NewEvent = { type: 'agent', payload: { connected: true } };
    this.#write(before.isConnected ? undefined : event, { onStored });
  }

  /** Takes the command back from a process of the agent that was not sent it. */
  unassign(): void {
    this.#record = { ...this.#record, state: 'waiting', instanceId: undefined };
    this.setConnected(false);
  }

  /** Belongs to another process of the agent from now on. */
  moveTo(instanceId: string, lostProcesses = this.#record.lostProcesses): void {
    this.#record = { ...this.#record, instanceId, lostProcesses };
    if (this.#record.isConnected) this.#write(undefined);
    else this.setConnected(true);
  }

  accepted(accepted: Accepted): void {
    const { state } = this.#record;
    const isResumed = accepted.resumed === true;
    if (state === 'done' || (state === 'accepted' && !isResumed)) return;
    if (isResumed) this.#lastLog = 0;
    this.#record = {
      ...this.#record,
      ...{
        state: 'accepted',
        payload: undefined,
        envelope: undefined,
        isDurable: accepted.durable,
        lostProcesses: undefined,
      },
      ...(isResumed && { lastStatus: 0, lastEvidence: 0 }),
    };
    this.#write({ type: 'accepted', payload: accepted });
  }

  /** Adds a status, unless it is a repetition. `bytes` is the size of its packet. */
  status(status: Status, bytes: number): void {
    const { state, lastStatus } = this.#record;
    if (state === 'done' || status.seq <= lastStatus) return;
    this.#record = { ...this.#record, lastStatus: status.seq };
    this.#write({ type: 'status', payload: status }, { bytes });
  }

  /** Adds evidence, unless it is a repetition. `bytes` is the size of its packet. */
  evidence(evidence: Evidence, bytes: number): void {
    const { state, lastEvidence } = this.#record;
    if (state === 'done' || evidence.seq <= lastEvidence) return;
    this.#record = { ...this.#record, lastEvidence: evidence.seq };
    this.#write({ type: 'evidence', payload: evidence }, { bytes });
  }

  /** Adds lines of a log, unless they are a repetition. `bytes` is the size of their packet. */
  log(log: Log, bytes: number): void {
    if (this.#record.state === 'done' || log.seq <= this.#lastLog) return;
    this.#lastLog = log.seq;
    this.#write({ type: 'log', payload: log }, { bytes });
  }

  setConnected(connected: boolean): void {
    const { state, isConnected } = this.#record;
    if (state === 'done' || connected === isConnected) return;
    this.#record = { ...this.#record, isConnected: connected };
    this.#write({ type: 'agent', payload: { connected } });
  }

  /**
   * Ends the command. A result that does not fit the command's type becomes a failure. One that is
   * signed is kept as it was sent, with fields that are not known.
   */
  end(result: Result, bytes = 0, signed?: SignedResult): void {
    if (this.#record.state === 'done') return;
    const typed = typedResult(this.type, result, this.#context.table);
    const isKept = signed !== undefined && typed.ok === result.ok;
    const outcome = isKept ? (JSON.parse(signed.text) as CommandResult) : typed; // it has the fields of its type
    if (isKept) this.#write({ type: 'signature', payload: { envelope: signed.envelope } });
    this.#record = { ...this.#record, state: 'done', payload: undefined, envelope: undefined };
    if (!this.#isRefused)
      this.#record = { ...this.#record, end: this.#context.nextEnd(outcome.ok ? 'succeeded' : 'failed') };
    const onStored = () => {
      this.#log.end();
      this.#context.onEnded(this, outcome);
    };
    this.#write({ type: 'result', payload: outcome }, { bytes, onStored });
  }

  /** Ends the command with an error. */
  fail(code: Failure['code'], message: string): void {
    this.end({ ok: false, error: { code, message } });
  }

  /** Marks the result as read by the application. */
  markDelivered(): void {
    const { end } = this.#record;
    if (!end || end.isDelivered) return;
    this.#record = { ...this.#record, end: { ...end, isDelivered: true } };
    this.#write(undefined);
  }

  /** Drops the oldest events if there are more bytes. */
  trimEvents(maxBytes: number): void {
    const dropped = this.#log.trim(maxBytes);
    if (dropped === undefined) return;
    const { key } = this.#record;
    this.#record = { ...this.#record, bytes: this.#log.bytes };
    this.#context.write({ command: this.#record, trim: { key, first: dropped + 1 } });
    this.#context.onChanged(this);
  }

  /** Returns events with a higher id, until the result or until the signal aborts. */
  eventsAfter(id: number, signal?: AbortSignal): AsyncGenerator<CommandEvent> {
    return this.#log.after(id, signal);
  }

  /**
   * Resolves when there is a result that is stored. Rejects with `ControlPlaneError`
   * `store_unavailable` when the store is closed before.
   */
  async outcome(): Promise<CommandResult> {
    return (await this.#log.result()) ?? notKept;
  }

  /** Resolves like `outcome`, but also rejects with `store_unavailable` if a read fails. */
  async outcomeAtOnce(): Promise<CommandResult> {
    return (await this.#log.resultAtOnce()) ?? notKept;
  }

  cancel(mode: CancelCommandMode | undefined): Promise<boolean> {
    return this.#context.cancel(this, mode);
  }

  /** Stores the record, and an event that readers get then. */
  #write(
    event: NewEvent | undefined,
    { bytes = 0, onStored, onRefused }: { bytes?: number } & Pick<Change, 'onStored' | 'onRefused'> = {},
  ): void {
    const { key } = this.#record;
    const change: Change = { ...(onRefused && { onRefused }) };
    let id = this.#record.lastEvent;
    if (event) {
      const { added, dropped } = this.#log.add(event, bytes);
      id = added.event.id;
      this.#record = { ...this.#record, lastEvent: id, bytes: this.#log.bytes };
      change.event = { ...added, key };
      if (dropped !== undefined) change.trim = { key, first: dropped + 1 };
    }
    change.command = this.#record;
    const publish = () => {
      this.#log.publish(id);
      onStored?.();
    };
    if (this.#isRefused) publish();
    else this.#context.write({ ...change, onStored: publish });
    this.#context.onChanged(this);
  }
}

const notKept: CommandResult = {
  ok: false,
  error: { code: 'command_not_found', message: 'the result is not kept any more' },
};

function handleOf(command: TrackedCommand): SentCommand {
  const { key, agentId, type, stored } = command;
  return {
    key,
    agentId,
    type,
    stored,
    get state() {
      return command.state;
    },
    get result() {
      const result = command.outcome();
      result.catch(() => undefined); // callers that wait for it get the error
      return result;
    },
    cancel: (mode) => command.cancel(mode),
    [Symbol.asyncIterator]: () => command.eventsAfter(0),
  };
}

/** Returns the number of the last log packet since the agent accepted or resumed the command. */
function lastLogOf(events: readonly EventRecord[] = []): number {
  const last = events.findLast(({ event: { type } }) => type === 'log' || type === 'accepted')?.event;
  return last?.type === 'log' ? last.payload.seq : 0;
}

/** A result that its agent has signed. */
export interface SignedResult {
  envelope: string;
  /** JSON text, which the signature is for. */
  text: string;
}

function typedResult(type: string, result: Result, table: CommandTable): CommandResult {
  if (!result.ok) return result;
  const known = table.find(type);
  // A newer agent may know a command that this control plane does not.
  if (known === undefined) return result;
  const validated = validate(known.answerReader, result, 'the result');
  if ('data' in validated) return validated.data;
  const message = `the agent sent a result that does not fit ${type}: ${validated.problems.join('; ')}`;
  return { ok: false, error: { code: 'internal', message } };
}
