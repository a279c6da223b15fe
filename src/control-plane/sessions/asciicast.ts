import { StringDecoder } from 'node:string_decoder';
import * as z from 'zod';
import { maxTypeLength } from '../../protocol/limits.ts';
import { channels } from '../../protocol/streams/messages.ts';

/** The longest first line of a recording, in bytes. */
export const maxHeaderBytes = 64 * 1024;

/** The size that is recorded for a session without a terminal. */
const noTerminal = { columns: 80, rows: 24 };

const text = z.string().max(maxHeaderBytes);

/** The facts of a session, in the field `session` of the header. */
export const recordedSessionSchema = z.object({
  key: text,
  agentId: text,
  type: z.string().max(maxTypeLength),
  user: text,
  namespace: text.optional(),
  releaseName: text.optional(),
  pod: text.optional(),
  container: text.optional(),
  command: text.optional(),
  reason: text.optional(),
  tty: z.boolean(),
});
export type RecordedSession = z.output<typeof recordedSessionSchema>;

/** The header of asciicast v2. Players ignore its field `session`. */
export const headerSchema = z.object({
  version: z.literal(2),
  width: z.int(),
  height: z.int(),
  /** Unix time in seconds. */
  timestamp: z.number(),
  session: recordedSessionSchema,
});

interface TerminalSize {
  columns: number;
  rows: number;
}

/** Returns the first line of a recording. `startedAt` is in milliseconds. */
export function headerLine(session: RecordedSession, startedAt: number, size: TerminalSize = noTerminal): string {
  const { pod = '', container = '', command } = session;
  return lineOf({
    version: 2,
    width: size.columns,
    height: size.rows,
    timestamp: Math.floor(startedAt / 1000),
    ...(command !== undefined && { command }),
    ...(pod !== '' && { title: `${pod}/${container}` }),
    session,
  });
}

/** Writes the events of asciicast v2. A character whose bytes come in several parts stays whole. */
export class EventWriter {
  readonly #startedAt: number;
  readonly #now: () => number;
  readonly #decoders = {
    [channels.output]: new StringDecoder('utf8'),
    [channels.error]: new StringDecoder('utf8'),
  };

  /** `now` returns a time in milliseconds that never goes back. */
  constructor(now: () => number) {
    this.#now = now;
    this.#startedAt = now();
  }

  /** Returns the line for bytes of a program; empty if they are only a part of a character. */
  output(channel: 1 | 2, bytes: Buffer): string {
    const written = this.#decoders[channel].write(bytes);
    return written === '' ? '' : this.#event('o', written);
  }

  resize({ columns, rows }: TerminalSize): string {
    return this.#event('r', `${columns}x${rows}`);
  }

  /** Returns the line for something that is not output. */
  marker(label: string): string {
    return this.#event('m', label);
  }

  /** Returns the lines for characters that the end has cut off. */
  end(): string {
    const rest = Object.values(this.#decoders).map((decoder) => decoder.end());
    return rest.map((written) => (written === '' ? '' : this.#event('o', written))).join('');
  }

  #event(code: 'o' | 'r' | 'm', data: string): string {
    const seconds = Math.round((this.#now() - this.#startedAt) * 1000) / 1_000_000;
    return lineOf([seconds, code, data]);
  }
}

function lineOf(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
