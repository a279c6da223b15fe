import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file without a name. */
export interface TemporaryFile {
  readonly file: FileHandle;
  readonly bytes: number;
}

/** Creates a file without a name, so that nothing is left of it when the process is killed. */
export async function openTemporaryFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `helm-agent-chart-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Reads a file into memory that threads share. */
export async function readTemporaryFile({ file, bytes }: TemporaryFile): Promise<Buffer> {
  const memory = Buffer.from(new SharedArrayBuffer(bytes));
  await file.read(memory, 0, bytes, 0);
  return memory;
}
