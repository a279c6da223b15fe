import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { maxHeaderBytes } from './asciicast.ts';

/** Bytes of a file that are read at a time. */
const chunkBytes = 1024 * 1024;

const lineFeed = 0x0a;

/** A file to which lines are only added. */
export class RecordingFile {
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves when the system has the lines, which then survive the end of this process. */
  async append(lines: string): Promise<void> {
    if (lines === '') return;
    const bytes = Buffer.from(lines);
    await this.#file.appendFile(bytes);
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }

  /** Returns the SHA-256 when the file is on the disk. */
  async finish(): Promise<string> {
    await this.#file.sync();
    return this.#hash.digest('hex');
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** Creates a file that only this user can read. Rejects with the error of the system. */
export async function createRecordingFile(path: string): Promise<RecordingFile> {
  return new RecordingFile(await open(path, 'wx', 0o600));
}

/** Returns the first line of a file; undefined if there is none, or it is too long. */
export async function firstLine(path: string): Promise<string | undefined> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHeaderBytes), 0, maxHeaderBytes, 0);
    const end = buffer.subarray(0, bytesRead).indexOf(lineFeed);
    return end < 0 ? undefined : buffer.toString('utf8', 0, end);
  } finally {
    await file.close();
  }
}

/**
 * Cuts a file that was not finished after its last whole line. Returns its size and its SHA-256.
 */
export async function repairFile(path: string): Promise<{ bytes: number; digest: string }> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    const bytes = await endOfLines(file, size);
    if (bytes < size) await file.truncate(bytes);
    await file.sync();
    const hash = createHash('sha256');
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Buffer>) {
      hash.update(chunk);
    }
    return { bytes, digest: hash.digest('hex') };
  } finally {
    await file.close();
  }
}

/** Returns the position after the last line feed. */
async function endOfLines(file: FileHandle, size: number): Promise<number> {
  const buffer = Buffer.alloc(Math.min(chunkBytes, size));
  for (let end = size; end > 0; end -= buffer.length) {
    const start = Math.max(0, end - buffer.length);
    const { bytesRead } = await file.read(buffer, 0, end - start, start);
    const found = buffer.subarray(0, bytesRead).lastIndexOf(lineFeed);
    if (found >= 0) return start + found + 1;
  }
  return 0;
}
