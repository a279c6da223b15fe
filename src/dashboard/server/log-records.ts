/** A part of the log of a container, as docs/protocol.md describes it under "Logs". */
export interface LogRecord {
  /** Where the log continues. Only the agent reads what is in it. */
  readonly cursor?: { readonly pod: string; readonly container: string };
  readonly notice?: string;
  readonly bytes: Uint8Array;
}

interface RecordHeader {
  size?: unknown;
  cursor?: unknown;
  notice?: unknown;
}

/** Longest header of a record, and its most bytes. */
const maxHeaderBytes = 64 * 1024;
const maxRecordBytes = 1024 * 1024;

const newline = 0x0a;

/** Yields the records of a stream. One that is cut off is left out. Throws for what is none. */
export async function* readLogRecords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<LogRecord> {
  let held = new Uint8Array();
  let header: RecordHeader | undefined;
  for await (const chunk of chunks) {
    held = joined(held, chunk);
    let start = 0;
    for (;;) {
      if (!header) {
        const end = held.indexOf(newline, start);
        if (end < 0 && held.length - start > maxHeaderBytes) throw invalidRecord();
        if (end < 0) break;
        header = headerOf(new TextDecoder().decode(held.subarray(start, end)));
        start = end + 1;
      }
      const size = sizeOf(header);
      if (held.length - start < size) break;
      yield { ...fieldsOf(header), bytes: held.slice(start, start + size) };
      start += size;
      header = undefined;
    }
    held = held.subarray(start);
  }
}

function joined(before: Uint8Array, after: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(before.length + after.length);
  all.set(before);
  all.set(after, before.length);
  return all;
}

function headerOf(text: string): RecordHeader {
  const header: unknown = JSON.parse(text);
  if (typeof header === 'object' && header !== null) return header;
  throw invalidRecord();
}

function sizeOf({ size = 0 }: RecordHeader): number {
  if (typeof size === 'number' && Number.isInteger(size) && size >= 0 && size <= maxRecordBytes) return size;
  throw invalidRecord();
}

function fieldsOf({ cursor, notice }: RecordHeader): Omit<LogRecord, 'bytes'> {
  return { ...(isCursor(cursor) && { cursor }), ...(typeof notice === 'string' && { notice }) };
}

function isCursor(cursor: unknown): cursor is NonNullable<LogRecord['cursor']> {
  if (typeof cursor !== 'object' || cursor === null || !('pod' in cursor) || !('container' in cursor)) return false;
  return typeof cursor.pod === 'string' && typeof cursor.container === 'string';
}

function invalidRecord(): Error {
  return new Error('the log of the agent cannot be read; use the same version of agent and control plane');
}
