import { Notice, unlessAborted } from '../async/index.ts';
import type { CommandResult } from '../protocol/messages.ts';
import type { Retention } from './store/retention.ts';
import type { TrackedCommand } from './tracked-command.ts';

/** The result of a command. */
export interface CommandOutcome {
  /** Counts the results of all commands from 1, in the order in which they arrived. */
  readonly id: number;
  readonly key: string;
  readonly agentId: string;
  readonly type: string;
  readonly result: CommandResult;
}

/** The commands of one sender that have ended. */
interface Owned {
  readonly commands: Set<TrackedCommand>;
  bytes: number;
}

/**
 * The commands that have ended, in the order of their results. If there are too many, the oldest of
 * the sender that has most of them is forgotten, so that a rollout to all agents does not push out
 * what others have sent.
 */
export class ResultFeed {
  readonly #retention: Retention;
  readonly #forget: (command: TrackedCommand) => void;
  readonly #added = new Notice();
  readonly #closing = new AbortController();
  /** In the order of their numbers. */
  readonly #ended: TrackedCommand[] = [];
  readonly #byOwner = new Map<string, Owned>();
  #newest = 0;
  #bytes = 0;

  constructor(retention: Retention, forget: (command: TrackedCommand) => void) {
    this.#retention = retention;
    this.#forget = forget;
  }

  /** The id of the newest result. */
  get newest(): number {
    return this.#newest;
  }

  /** Adds the command that ended last. `now` is in milliseconds. */
  add(command: TrackedCommand, now: number): void {
    const { commands, bytes } = this.#retention;
    this.#ended.push(command);
    this.#newest = idOf(command);
    const owner = ownerOf(command);
    const owned = this.#byOwner.get(owner) ?? { commands: new Set(), bytes: 0 };
    this.#byOwner.set(owner, owned);
    owned.commands.add(command);
    owned.bytes += command.record.bytes;
    this.#bytes += command.record.bytes;
    // the newest stays, however large it is: its sender still wants the result
    while (this.#ended.length > 1) {
      const [oldest] = this.#ended;
      if (oldest && this.#isOld(oldest, now)) this.#drop(oldest);
      else if (this.#ended.length > commands) this.#drop(this.#oldestOfMost(({ commands: own }) => own.size));
      else if (this.#bytes > bytes) this.#drop(this.#oldestOfMost((own) => own.bytes));
      else break;
    }
    this.#added.give();
  }

  /** Continues the numbers after those of results that are forgotten. */
  continueAfter(newest: number): void {
    this.#newest = Math.max(this.#newest, newest);
  }

  /**
   * Forgets results that are too old at `now`, in milliseconds, and at most `max` of them. Returns
   * whether there may be more.
   */
  forgetOld(now: number, max: number): boolean {
    const old: TrackedCommand[] = [];
    for (const command of this.#ended) {
      if (this.#isOld(command, now)) old.push(command);
      if (old.length === max) break;
    }
    for (const command of old) this.#drop(command);
    return old.length === max;
  }

  /** Ends all readers. */
  close(): void {
    this.#closing.abort();
  }

  /**
   * Returns the results with a higher id, then those that arrive, until the signal aborts or the
   * feed is closed. Default of `id`: before the first result that is not marked as delivered.
   */
  async *after(id: number | undefined, signal?: AbortSignal): AsyncGenerator<CommandOutcome> {
    const over = AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]);
    let lastId = id ?? this.#firstUndelivered() - 1;
    while (!over.aborted) {
      const command = this.#ended[this.#indexAfter(lastId)];
      if (!command) {
        await this.#added.next(over);
        continue;
      }
      lastId = idOf(command);
      const { key, agentId, type } = command;
      const result = await unlessAborted(command.outcome(), over);
      if (result) yield { id: lastId, key, agentId, type, result };
    }
  }

  /** Marks the results up to an id as delivered. */
  markDelivered(id: number): void {
    for (let index = this.#indexAfter(id) - 1; index >= 0; index--) {
      const command = this.#ended[index];
      if (command?.record.end?.isDelivered !== false) return;
      command.markDelivered();
    }
  }

  #isOld({ record: { end } }: TrackedCommand, now: number): boolean {
    return end !== undefined && now - end.at > this.#retention.milliseconds;
  }

  /** Returns the oldest command of the sender with most, except the newest of all. */
  #oldestOfMost(sizeOf: (owned: Owned) => number): TrackedCommand | undefined {
    const newest = this.#ended.at(-1);
    let most: Owned | undefined;
    for (const owned of this.#byOwner.values()) {
      const isOnlyNewest = owned.commands.size === 1 && newest !== undefined && owned.commands.has(newest);
      if (!isOnlyNewest && (most === undefined || sizeOf(owned) > sizeOf(most))) most = owned;
    }
    const [oldest] = most?.commands ?? [];
    return oldest;
  }

  #drop(command: TrackedCommand | undefined): void {
    if (!command) return;
    const owner = ownerOf(command);
    const owned = this.#byOwner.get(owner);
    owned?.commands.delete(command);
    if (owned) owned.bytes -= command.record.bytes;
    if (owned?.commands.size === 0) this.#byOwner.delete(owner);
    this.#ended.splice(this.#indexAfter(idOf(command) - 1), 1);
    this.#bytes -= command.record.bytes;
    this.#forget(command);
  }

  /** Returns the index of the first command with a higher number. */
  #indexAfter(id: number): number {
    let [low, high] = [0, this.#ended.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const command = this.#ended[middle];
      if (command && idOf(command) <= id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #firstUndelivered(): number {
    const first = this.#ended.find(({ record }) => record.end?.isDelivered === false);
    return first ? idOf(first) : this.#newest + 1;
  }
}

/** Commands whose senders did not say who they are have one owner together. */
function ownerOf({ record: { sentBy = '' } }: TrackedCommand): string {
  return sentBy;
}

function idOf({ record }: TrackedCommand): number {
  return record.end?.number ?? 0;
}
