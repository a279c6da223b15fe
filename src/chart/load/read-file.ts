import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { sep } from 'node:path';

/** The content of a regular file, or the reason why it was not read. */
export type FileContent = Uint8Array | 'irregular' | 'too large';

/** Returns memory for this number of bytes. */
export type Allocate = (bytes: number) => Uint8Array;

/**
 * Reads a regular file of at most `most` bytes into memory of one byte more. `path` must not lead
 * through symbolic links. What the path names is opened first and judged then, so a file that is
 * replaced or that grows in the meantime cannot block or exhaust the memory. Throws errors of the
 * file system.
 */
export async function readRegularFile(
  path: string,
  most: number,
  allocate: Allocate = (bytes) => new Uint8Array(bytes),
): Promise<FileContent> {
  // without O_NONBLOCK, opening a pipe waits for a writer
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      // a socket, or a link that has just been put there
      if (error instanceof Error && 'code' in error && (error.code === 'ENXIO' || error.code === 'ELOOP'))
        return undefined;
      throw error;
    },
  );
  if (handle === undefined) return 'irregular';
  try {
    const opened = await handle.stat();
    if (!opened.isFile()) return 'irregular';
    const named = await lstat(await realpath(path));
    if (named.dev !== opened.dev || named.ino !== opened.ino) return 'irregular';
    if (opened.size > most) return 'too large';
    const data = allocate(opened.size + 1);
    let end = 0;
    while (end < data.length) {
      const { bytesRead } = await handle.read(data, end, data.length - end);
      if (bytesRead === 0) return data.subarray(0, end);
      end += bytesRead;
    }
    return 'too large';
  } finally {
    await handle.close();
  }
}

/** Whether a path is that of a folder or of something below it. Both are without links. */
export function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
