import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';

/** Returns a text that changes when a file does. Rejects with Node's error. */
export async function fileVersion(path: string): Promise<string> {
  const { mtimeNs, ctimeNs, ino, size } = await stat(path, { bigint: true });
  return [mtimeNs, ctimeNs, ino, size].join(' ');
}

/**
 * Returns the text of a regular file. Does not wait for the writer of a pipe. Rejects with an Error
 * if the file is larger, or cannot be read.
 */
export async function readBoundedFile(path: string, maxBytes: number): Promise<string> {
  // without NONBLOCK, opening a pipe would wait for its writer
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new Error('it is not a file');
    if (stats.size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
