import type { Duplex } from 'node:stream';
import { abortable } from '../../async/index.ts';
import type { CommandTable } from '../../protocol/commands/table.ts';
import { commandStreamSchema, type SessionFacts } from '../../protocol/streams/command-stream.ts';
import type { CommandIndex } from '../command-index.ts';
import { ControlPlaneError } from '../error.ts';
import type { TrackedCommand } from '../tracked-command.ts';

/** Time for a caller to take a stream that an agent has opened, in milliseconds. */
const defaultTakeMs = 30_000;

export interface CommandStreamsOptions {
  commands: Pick<CommandIndex, 'get'>;
  table: CommandTable;
  /** Time for a caller to take a stream, in milliseconds. Default: 30,000. */
  takeMs?: number;
}

/** A stream, and what its agent says about the session. */
export interface TakenStream {
  stream: Duplex;
  facts: SessionFacts | undefined;
}

/** The stream of a command that has no result yet. */
interface Entry {
  opened: PromiseWithResolvers<TakenStream>;
  hasStream: boolean;
  isTaken: boolean;
}

/** The streams between commands and those who have sent them. Each has one reader. */
export class CommandStreams {
  readonly #options: CommandStreamsOptions;
  /** By the key of the command, until that has its result. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: CommandStreamsOptions) {
    this.#options = options;
  }

  /** Keeps a stream that an agent has opened for the sender of the command, or resets it. */
  accept(agentId: string, header: unknown, stream: Duplex): void {
    const read = commandStreamSchema.safeParse(header);
    const command = read.success ? this.#options.commands.get(read.data.key) : undefined;
    if (!read.success || !command || command.agentId !== agentId || command.state === 'done' || !this.kindOf(command)) {
      stream.destroy(new ControlPlaneError('command_not_found', 'the agent has no command that has this stream'));
      return;
    }
    const entry = this.#entryOf(command);
    if (entry.hasStream) {
      stream.destroy(new ControlPlaneError('stream_taken', 'the command has a stream already'));
      return;
    }
    entry.hasStream = true;
    entry.opened.resolve({ stream, facts: read.data.session });
    if (entry.isTaken) return;
    const late = () => stream.destroy(new ControlPlaneError('timeout', 'no one has read the stream in time'));
    const timer = setTimeout(() => entry.isTaken || late(), this.#options.takeMs ?? defaultTakeMs);
    stream.once('close', () => clearTimeout(timer));
  }

  /** Returns the kind of stream that a command has; undefined if it has none. */
  kindOf({ type }: Pick<TrackedCommand, 'type'>): 'readable' | 'duplex' | undefined {
    return this.#options.table.find(type)?.definition.stream;
  }

  /**
   * Waits until the agent has opened the stream of a command, and returns it to its only reader.
   * Destroying it ends the command. Rejects with `ControlPlaneError` `unsupported`, `stream_taken`
   * and `stream_ended`, and with the signal's reason, which also destroys the stream.
   */
  async take(command: TrackedCommand, signal: AbortSignal): Promise<TakenStream> {
    const { key, type } = command;
    if (!this.kindOf(command)) throw new ControlPlaneError('unsupported', `the command ${type} has no stream`);
    if (command.state === 'done') throw endedError(key);
    const entry = this.#entryOf(command);
    if (entry.isTaken) {
      throw new ControlPlaneError('stream_taken', `the stream of the command ${key} has a reader, or had one`);
    }
    entry.isTaken = true;
    try {
      const taken = await abortable(entry.opened.promise, signal);
      const { stream } = taken;
      const end = () => stream.destroy();
      signal.addEventListener('abort', end, { once: true });
      stream.once('close', () => signal.removeEventListener('abort', end));
      return taken;
    } catch (error) {
      // no one else can read it, also if the agent opens it later
      void entry.opened.promise.then(({ stream }) => stream.destroy()).catch(() => undefined);
      void command.cancel(undefined).catch(() => undefined);
      throw error;
    }
  }

  #entryOf(command: TrackedCommand): Entry {
    const { key } = command;
    const known = this.#entries.get(key);
    if (known) return known;
    const opened = Promise.withResolvers<TakenStream>();
    opened.promise.catch(() => undefined); // readers get the error
    const entry: Entry = { opened, hasStream: false, isTaken: false };
    this.#entries.set(key, entry);
    const end = () => {
      this.#entries.delete(key);
      opened.reject(endedError(key));
    };
    void command.outcome().then(end, end);
    return entry;
  }
}

function endedError(key: string): ControlPlaneError {
  return new ControlPlaneError('stream_ended', `the command ${key} has ended; read its result`);
}
