import { abortable, abortReason, Notice, retry, unlessAborted } from '../async/index.ts';
import type { CommandResult } from '../protocol/messages.ts';
import type { CommandEvent, NewEvent } from './command-event.ts';
import type { EventRecord } from './store/command-store.ts';

/** Number of events of a command that are kept; the oldest are dropped. */
const maxEvents = 5000;

/** Bytes of the packets of the events of a command that are kept; the oldest are dropped. */
const maxEventBytes = 2 * 1024 * 1024;

/** Bytes of an event that has no packet, or a small one. */
const leastEventBytes = 256;

/** Pauses before events are read again after an error, in milliseconds. */
const readPauses = [100, 200, 500, 1000, 2000, 5000];

export interface EventLogOptions {
  /** Number of the newest event. */
  newest: number;
  /** All events so far. Default: the newest is the result, and they are read when needed. */
  events?: EventRecord[] | undefined;
  /** Reads the events that are stored. */
  load: () => Promise<EventRecord[]>;
  /** Aborts, with the error that readers get, when nothing more is stored or read. */
  closed: AbortSignal;
}

/** The events of a command. Readers get those that are published. */
export class EventLog {
  readonly #load: () => Promise<EventRecord[]>;
  readonly #closed: AbortSignal;
  readonly #changed = new Notice();
  readonly #ended = Promise.withResolvers<undefined>();
  /** Undefined: not in memory. */
  #events: EventRecord[] | undefined;
  #loading: Promise<EventRecord[]> | undefined;
  #bytes = 0;
  #newest: number;
  #published: number;
  #isEnded = false;

  constructor({ newest, events, load, closed }: EventLogOptions) {
    this.#newest = newest;
    this.#published = newest;
    this.#load = load;
    this.#closed = closed;
    this.#ended.promise.catch(() => undefined); // readers get the error
    if (events) this.#keep(events);
  }

  /** Bytes of all events that are in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Adds an event, which is to be published. Returns it, and the number of the newest one that was
   * dropped for it.
   */
  add(event: NewEvent, packetBytes: number): { added: EventRecord; dropped: number | undefined } {
    const events = (this.#events ??= []);
    const added = { event: { ...event, id: ++this.#newest }, bytes: Math.max(packetBytes, leastEventBytes) };
    events.push(added);
    this.#bytes += added.bytes;
    return { added, dropped: this.trim(maxEventBytes) };
  }

  /**
   * Drops the oldest events if there are more bytes, but neither the newest one nor the signature
   * that belongs to it. Returns the number of the newest one that was dropped.
   */
  trim(maxBytes: number): number | undefined {
    const events = this.#events ?? [];
    const least = events.at(-2)?.event.type === 'signature' ? 2 : 1;
    let dropped: number | undefined;
    while (events.length > least && (events.length > maxEvents || this.#bytes > maxBytes)) {
      const oldest = events.shift();
      this.#bytes -= oldest?.bytes ?? 0;
      dropped = oldest?.event.id;
    }
    return dropped;
  }

  /** Gives the next events numbers above this one. */
  skip(id: number): void {
    this.#newest = Math.max(this.#newest, id);
  }

  /** Shows the events up to a number to readers. */
  publish(id: number): void {
    this.#published = id;
    this.#changed.give();
  }

  /** Says that the newest event is the result, and that it is published. */
  end(): void {
    this.#isEnded = true;
    this.#ended.resolve(undefined);
    this.#changed.give();
  }

  /** Tells readers who wait that the log is closed. */
  close(): void {
    this.#ended.reject(abortReason(this.#closed));
    this.#changed.give();
  }

  /** Frees the memory of the events, which are stored. */
  unload(): void {
    this.#events = undefined;
    this.#bytes = 0;
  }

  /**
   * Returns the events with a higher id, until the result or until the signal aborts. Throws when
   * the log is closed before.
   */
  async *after(id: number, signal?: AbortSignal): AsyncGenerator<CommandEvent> {
    let lastId = id;
    while (!signal?.aborted) {
      const events = this.#events ?? (await unlessAborted(this.#loaded(), signal));
      const next = events && firstAfter(events, lastId);
      if (next && next.id <= this.#published) {
        lastId = next.id;
        yield next;
        if (next.type === 'result') return;
      } else if (this.#isEnded) {
        return;
      } else {
        this.#closed.throwIfAborted();
        await this.#changed.next(signal);
      }
    }
  }

  /**
   * Resolves with the result when there is one. Undefined: it is not kept any more. Rejects when
   * the log is closed before.
   */
  async result(): Promise<CommandResult | undefined> {
    await this.#ended.promise;
    return resultOf(await this.#loaded());
  }

  /** Resolves like `result`, but also rejects with the error of `load`. */
  async resultAtOnce(): Promise<CommandResult | undefined> {
    await this.#ended.promise;
    return resultOf(this.#events ?? this.#keep(await this.#load()));
  }

  /** Reads the events if they are not in memory, until that succeeds. */
  async #loaded(): Promise<EventRecord[]> {
    if (this.#events) return this.#events;
    const signal = this.#closed;
    signal.throwIfAborted();
    this.#loading ??= retry(this.#load, { pauses: readPauses, isEndless: true, signal }).finally(
      () => (this.#loading = undefined),
    );
    return this.#keep(await abortable(this.#loading, signal));
  }

  #keep(events: EventRecord[]): EventRecord[] {
    this.#events = events;
    this.#bytes = events.reduce((sum, { bytes }) => sum + bytes, 0);
    return events;
  }
}

function resultOf(events: EventRecord[]): CommandResult | undefined {
  const last = events.at(-1)?.event;
  return last?.type === 'result' ? last.payload : undefined;
}

/** Event ids ascend. They have a gap where the control plane was restored. */
function firstAfter(events: EventRecord[], id: number): CommandEvent | undefined {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.event.id ?? Infinity) <= id) low = middle + 1;
    else high = middle;
  }
  return events[low]?.event;
}
