import { Notice } from '../async/index.ts';
import type { CommandResult } from '../protocol/messages.ts';
import type { Retention } from './store/command-store.ts';
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

/** The commands that have ended, in the order of their results. */
export class ResultFeed {
  readonly #retention: Retention;
  readonly #forget: (command: TrackedCommand) => void;
  readonly #added = new Notice();
  /** Their numbers have no gaps. */
  readonly #ended: TrackedCommand[] = [];
  #bytes = 0;

  constructor(retention: Retention, forget: (command: TrackedCommand) => void) {
    this.#retention = retention;
    this.#forget = forget;
  }

  /** The id of the newest result. */
  get newest(): number {
    return this.#firstId() + this.#ended.length - 1;
  }

  /** Adds the command that ended last. `now` is in milliseconds. */
  add(command: TrackedCommand, now: number): void {
    const { commands, bytes, milliseconds } = this.#retention;
    this.#ended.push(command);
    this.#bytes += command.record.bytes;
    // the newest stays, however large it is: its sender still wants the result
    while (this.#ended.length > 1) {
      const [oldest] = this.#ended;
      const age = now - (oldest?.record.end?.at ?? now);
      if (!oldest || (this.#ended.length <= commands && this.#bytes <= bytes && age <= milliseconds)) break;
      this.#ended.shift();
      this.#bytes -= oldest.record.bytes;
      this.#forget(oldest);
    }
    this.#added.give();
  }

  /**
   * Returns the results with a higher id, then those that arrive, until the signal aborts. Default
   * of `id`: before the first result that is not marked as delivered.
   */
  async *after(id: number | undefined, signal?: AbortSignal): AsyncGenerator<CommandOutcome> {
    let lastId = id ?? this.#firstUndelivered() - 1;
    while (!signal?.aborted) {
      const command = this.#ended[Math.max(0, lastId + 1 - this.#firstId())];
      if (!command) {
        await this.#added.next(signal);
        continue;
      }
      lastId = idOf(command);
      const { key, agentId, type } = command;
      yield { id: lastId, key, agentId, type, result: await command.outcome() };
    }
  }

  /** Marks the results up to an id as delivered. */
  markDelivered(id: number): void {
    for (const command of this.#ended) {
      if (idOf(command) > id) return;
      command.markDelivered();
    }
  }

  #firstId(): number {
    const [first] = this.#ended;
    return first ? idOf(first) : 1;
  }

  #firstUndelivered(): number {
    const first = this.#ended.find(({ record }) => record.end?.isDelivered === false);
    return first ? idOf(first) : this.#firstId() + this.#ended.length;
  }
}

function idOf({ record }: TrackedCommand): number {
  return record.end?.number ?? 0;
}
