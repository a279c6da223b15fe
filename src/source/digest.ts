import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChartRequest } from './chart-request.ts';
import { SourceError } from './source-error.ts';

/** Returns the hex digits of a SHA-256 with or without the prefix `sha256:`, if it is one. */
export function digitsOf(digest: string): string | undefined {
  return /^(?:sha256:)?([0-9a-f]{64})$/i.exec(digest)?.[1]?.toLowerCase();
}

/**
 * Compares an archive with its SHA-256 digest, in hex, with or without a `sha256:` prefix. `where`
 * names the archive in errors. Throws {@link SourceError}. Helm checks the digest only for
 * repositories that were added by name.
 */
export async function checkDigest(archive: Uint8Array, digest: string, where: string): Promise<void> {
  const expected = digitsOf(digest);
  if (expected === undefined) {
    throw new SourceError(
      'repository_invalid',
      `the digest of ${where} in the index, ${JSON.stringify(digest)}, is not a SHA-256 in hex; index the repository again`,
    );
  }
  const actual = await sha256(archive);
  if (actual !== expected) {
    throw new SourceError(
      'digest_mismatch',
      `${where} does not match its digest: its SHA-256 is ${actual} and should be ${expected}; it was changed after it was published`,
    );
  }
}

/**
 * Compares the archive of a chart with the digest that a request gives for it. Throws
 * {@link SourceError}.
 */
export async function checkRequestedDigest(
  archive: Uint8Array,
  { chartName, digest }: Pick<ChartRequest, 'chartName' | 'digest'>,
): Promise<void> {
  if (digest === undefined) return;
  const chart = `the chart ${JSON.stringify(chartName)}`;
  const expected = digitsOf(digest);
  if (expected === undefined) {
    throw new SourceError('digest_mismatch', `the digest for ${chart} is not a SHA-256: give 64 hex digits`);
  }
  const actual = await sha256(archive);
  if (actual === expected) return;
  throw new SourceError(
    'digest_mismatch',
    `${chart} does not match the requested digest: the SHA-256 of its archive is ${actual} and should be ${expected}; check the digest, and whether the chart was changed after it was published`,
  );
}

/** Bytes that are hashed before the event loop turns: it takes a few milliseconds. */
const sliceBytes = 4 * 1024 * 1024;

/** Returns the SHA-256 of data in hex. */
export async function sha256(data: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let start = 0; start < data.length; start += sliceBytes) {
    if (start > 0) await nextTurn();
    hash.update(data.subarray(start, start + sliceBytes));
  }
  return hash.digest('hex');
}

/** Returns the SHA-256 of a file in hex. Throws errors of the file system. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}
