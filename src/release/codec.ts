import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { ReleaseError } from './error.ts';
import type { Release } from './release.ts';
import { releaseSchema } from './schema.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** More than any release that fits into a Secret unpacks to, unless it was made to exhaust memory. */
const maxDecodedBytes = 128 * 1024 * 1024;

/** A release as Helm stores it: base64 over gzip over JSON. */
export async function encodeRelease(release: Release): Promise<string> {
  const packed = await compress(JSON.stringify(release), { level: constants.Z_BEST_COMPRESSION });
  return packed.toString('base64');
}

/**
 * Reads what Helm 3, Helm 4 or {@link encodeRelease} wrote; JSON that is not compressed too, as Helm does.
 * Throws {@link ReleaseError} `release_corrupt`.
 */
export async function decodeRelease(text: string, limit = maxDecodedBytes): Promise<Release> {
  const packed = Buffer.from(text, 'base64');
  const json = isGzip(packed) ? await unpack(packed, limit) : packed;
  let data: unknown;
  try {
    data = JSON.parse(json.toString('utf8'));
  } catch (cause) {
    throw new ReleaseError('release_corrupt', 'the stored release is no JSON', { cause });
  }
  const result = releaseSchema.safeParse(data);
  if (result.success) return result.data;
  throw new ReleaseError('release_corrupt', `the stored release is incomplete: ${z.prettifyError(result.error)}`);
}

function isGzip(data: Buffer): boolean {
  return data.length > 3 && data[0] === 0x1f && data[1] === 0x8b && data[2] === 0x08;
}

async function unpack(packed: Buffer, limit: number): Promise<Buffer> {
  try {
    return await decompress(packed, { maxOutputLength: limit });
  } catch (cause) {
    throw new ReleaseError('release_corrupt', 'the stored release cannot be unpacked', { cause });
  }
}
