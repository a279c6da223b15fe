/** Where the log of a run of a container continues. Only the agent reads the other fields. */
export interface RunCursor {
  readonly pod: string;
  readonly container: string;
  readonly uid: string;
  readonly run: number;
}

/** A part of the log of a container, as docs/protocol.md describes it under "Logs". */
export interface LogRecord {
  readonly cursor?: RunCursor;
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
  let held: Uint8Array[] = [];
  let length = 0;
  let needed = 1;
  let header: RecordHeader | undefined;
  for await (const chunk of chunks) {
    held.push(chunk);
    length += chunk.length;
    if (length < needed) continue; // so that the parts of a record are joined once
    const data = joined(held, length);
    let start = 0;
    for (;;) {
      if (!header) {
        const end = data.indexOf(newline, start);
        if (end < 0 && data.length - start > maxHeaderBytes) throw invalidRecord();
        if (end < 0) break;
        header = headerOf(new TextDecoder().decode(data.subarray(start, end)));
        start = end + 1;
      }
      const size = sizeOf(header);
      if (data.length - start < size) break;
      yield { ...fieldsOf(header), bytes: data.slice(start, start + size) };
      start += size;
      header = undefined;
    }
    const rest = data.subarray(start);
    held = [rest];
    length = rest.length;
    needed = header ? sizeOf(header) : 1;
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
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
  if (typeof cursor !== 'object' || cursor === null) return false;
  const { pod, container, uid, run } = cursor as { [Field in keyof RunCursor]?: unknown };
  return [pod, container, uid].every((text) => typeof text === 'string') && typeof run === 'number';
}

function invalidRecord(): Error {
  return new Error('the log of the agent cannot be read; use the same version of agent and control plane');
}
