import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { codeOf } from '../errors/index.ts';
import { ReleaseError } from './error.ts';

const decompress = promisify(gunzip);

/**
 * Returns the bytes of a stored release: base64 of data that may be compressed with gzip. Throws
 * `release_corrupt`, or `release_too_large` past the limit.
 */
export async function unpackRelease(text: string, limit: number): Promise<Buffer> {
  const data = Buffer.from(text, 'base64');
  return isGzip(data) ? await unpackGzip(data, limit) : data;
}

function isGzip(data: Buffer): boolean {
  return data.length > 3 && data[0] === 0x1f && data[1] === 0x8b && data[2] === 0x08;
}

async function unpackGzip(compressed: Buffer, limit: number): Promise<Buffer> {
  try {
    return await decompress(compressed, { maxOutputLength: limit });
  } catch (cause) {
    if (codeOf(cause) === 'ERR_BUFFER_TOO_LARGE') {
      throw new ReleaseError('release_too_large', `the stored release unpacks to more than ${limit} bytes`, { cause });
    }
    throw new ReleaseError('release_corrupt', 'the stored release cannot be decompressed', { cause });
  }
}
