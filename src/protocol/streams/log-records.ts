import * as z from 'zod';
import { line, objectName } from '../bounded.ts';

/** Longest header of a record, and its most bytes. */
const maxHeaderBytes = 64 * 1024;
const maxRecordBytes = 1024 * 1024;

const count = z.int().min(0);

/** Where the log of a container continues. Only the agent reads what is in it. */
export const logCursorSchema = z.object({
  pod: objectName,
  container: objectName,
  uid: z.string().max(64).describe('Uid of the pod'),
  run: count.describe('Number of restarts of the container before the run that is read'),
  time: z.string().max(40).describe('Time of the newest line; empty if there was none'),
  lines: count.describe('Number of lines that have arrived since one second before that'),
  bytes: count.optional().describe('Bytes of a line that has arrived in part. Default: 0'),
  start: z.string().max(40).optional().describe('Time of the first line. Default: that of the log'),
  sent: count.optional().describe('Bytes that have arrived, if they are limited'),
});

/** Where the log of a container continues. */
export type LogCursor = z.output<typeof logCursorSchema>;

const logRecordSchema = z.object({
  /** Bytes of the log that follow the header. Default: 0. */
  size: count.max(maxRecordBytes).optional(),
  /** Of the container, after these bytes. */
  cursor: logCursorSchema.optional(),
  /** A sentence about a log that cannot be read, or not yet, or about lines that are missing. */
  notice: line.optional(),
});

/** The header of a record in the stream of `pod_logs`. */
type LogRecordHeader = z.output<typeof logRecordSchema>;

/** A part of the log of a container. */
export interface LogRecord extends LogRecordHeader {
  bytes: Buffer;
}

const newline = 0x0a;

/** Returns a record: its header as JSON, a line break, and the bytes of the log. */
export function encodeLogRecord(header: Omit<LogRecordHeader, 'size'>, bytes: Uint8Array = Buffer.alloc(0)): Buffer {
  const text = JSON.stringify({ ...header, ...(bytes.length > 0 && { size: bytes.length }) });
  return Buffer.concat([Buffer.from(`${text}\n`), bytes]);
}

/**
 * Yields the records of a stream. One that is cut off is left out, so that the cursors of the
 * others say how to continue. Throws an error for what is not a record.
 */
export async function* readLogRecords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<LogRecord, void, undefined> {
  let held: Uint8Array[] = [];
  let length = 0;
  let needed = 1;
  let header: LogRecordHeader | undefined;
  for await (const chunk of chunks) {
    held.push(chunk);
    length += chunk.length;
    if (length < needed) continue; // so that the parts of a record are joined once
    const data = Buffer.concat(held);
    let start = 0;
    for (;;) {
      if (header === undefined) {
        const end = data.indexOf(newline, start);
        if (end < 0 && data.length - start > maxHeaderBytes) throw invalidRecord('its header is too long');
        if (end < 0) break;
        header = headerOf(data.toString('utf8', start, end));
        start = end + 1;
      }
      const { size = 0 } = header;
      if (data.length - start < size) break;
      yield { ...header, bytes: data.subarray(start, start + size) };
      start += size;
      header = undefined;
    }
    const rest = data.subarray(start);
    held = rest.length > 0 ? [rest] : [];
    length = rest.length;
    needed = header?.size ?? 1;
  }
}

function headerOf(text: string): LogRecordHeader {
  let header: unknown;
  try {
    header = JSON.parse(text);
  } catch {
    throw invalidRecord('its header is not JSON');
  }
  const read = logRecordSchema.safeParse(header);
  if (read.success) return read.data;
  throw invalidRecord('its header has other fields');
}

function invalidRecord(problem: string): Error {
  return new Error(`a record of the stream of logs cannot be read: ${problem}; update this program`);
}
