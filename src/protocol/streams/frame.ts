import * as z from 'zod';
import { JsonTextError, parseJson } from '../json.ts';
import { StreamError } from './stream-error.ts';

/** The largest number of bytes in a `data` frame. */
export const maxDataBytes = 64 * 1024;

/** The largest JSON text in a frame, in bytes. */
const maxJsonBytes = 16 * 1024;

/** The content of a binary frame, about the stream with the id. */
export type StreamFrame =
  /** Starts a stream. The header says what it carries. */
  | { type: 'open'; id: number; header: unknown }
  | { type: 'data'; id: number; bytes: Buffer }
  /** Allows the other end to send more bytes. */
  | { type: 'credit'; id: number; bytes: number }
  /** The sender of the frame sends no more data. */
  | { type: 'end'; id: number }
  /** Ends the stream in both directions. */
  | { type: 'reset'; id: number; code: string; message: string };

const typeNumbers = { open: 1, data: 2, credit: 3, end: 4, reset: 5 } as const;
const types = Object.entries(typeNumbers);

/** Bytes of the type and of the id. */
const headBytes = 5;

/** Exported for the test of all maxima. @public */
export const resetSchema = z.object({ code: z.string().max(64), message: z.string().max(4096) });

/** Writes a binary frame: its type (1 byte), the id of the stream (4 bytes), and the rest. */
export function encodeStreamFrame(frame: StreamFrame): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(typeNumbers[frame.type]);
  head.writeUInt32BE(frame.id, 1);
  return Buffer.concat([head, bodyOf(frame)]);
}

/**
 * Writes `data` frames, each into the memory of the one before: a stream at full speed would
 * otherwise leave as much garbage as it sends.
 */
export class DataFrames {
  readonly #memory = Buffer.allocUnsafeSlow(headBytes + maxDataBytes);

  /** Returns a frame with at most `maxDataBytes`. It is valid until the next call. */
  encode(id: number, parts: readonly Buffer[]): Buffer {
    this.#memory.writeUInt8(typeNumbers.data);
    this.#memory.writeUInt32BE(id, 1);
    let length = headBytes;
    for (const part of parts) length += part.copy(this.#memory, length);
    return this.#memory.subarray(0, length);
  }
}

function bodyOf(frame: StreamFrame): Buffer {
  switch (frame.type) {
    case 'open':
      return Buffer.from(JSON.stringify(frame.header));
    case 'data':
      return frame.bytes;
    case 'credit': {
      const body = Buffer.alloc(4);
      body.writeUInt32BE(frame.bytes);
      return body;
    }
    case 'end':
      return Buffer.alloc(0);
    case 'reset':
      return Buffer.from(JSON.stringify({ code: frame.code, message: frame.message }));
  }
}

/** Reads a binary frame. Throws `StreamError` `protocol`. */
export function decodeStreamFrame(frame: Buffer): StreamFrame {
  if (frame.length < headBytes) throw invalid('it is too short');
  const [type] = types.find(([, number]) => number === frame.readUInt8()) ?? [];
  const id = frame.readUInt32BE(1);
  const body = frame.subarray(headBytes);
  switch (type) {
    case 'open':
      return { type, id, header: jsonOf(body) };
    case 'data':
      if (body.length > maxDataBytes) throw invalid(`it has more than ${maxDataBytes} bytes of data`);
      return { type, id, bytes: body };
    case 'credit':
      if (body.length !== 4) throw invalid('a credit must have 4 bytes');
      return { type, id, bytes: body.readUInt32BE() };
    case 'end':
      return { type, id };
    case 'reset': {
      const reset = resetSchema.safeParse(jsonOf(body));
      if (!reset.success) throw invalid('a reset must have a code and a message');
      return { type, id, ...reset.data };
    }
    default:
      throw invalid('its type is unknown');
  }
}

function jsonOf(body: Buffer): unknown {
  if (body.length > maxJsonBytes) throw invalid(`its JSON text has more than ${maxJsonBytes} bytes`);
  try {
    return parseJson(body.toString('utf8'));
  } catch (error) {
    throw error instanceof JsonTextError ? invalid(error.message) : error;
  }
}

function invalid(problem: string): StreamError {
  return new StreamError('protocol', `binary frame: ${problem}`);
}
