import { createReadStream } from 'node:fs';
import { openError } from '../go/file-error.ts';
import { SourceError } from '../source/source-error.ts';

const mebibyte = 1024 * 1024;

/** Size limit of a keyring. That of all Debian developers has 30 MiB. */
const maxKeyringBytes = 64 * mebibyte;

/**
 * Reads a file, which may be a pipe. Throws an error with Go's text if it cannot be read, and
 * `SourceError` if it has more than `most` bytes.
 */
export async function readLimited(path: string, most: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > most) throw new SourceError('too_large', `${path} is larger than the limit of ${most} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw openError(path, error);
  }
  return Buffer.concat(chunks);
}

/** Reads a keyring. */
export function readKeyringFile(path: string): Promise<Uint8Array> {
  return readLimited(path, maxKeyringBytes);
}
