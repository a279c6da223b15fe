import { createHash } from 'node:crypto';
import { SourceError } from './source-error.ts';

/**
 * Compares an archive with its SHA-256 digest, in hex, with or without a `sha256:` prefix. `where`
 * names the archive in errors. Throws {@link SourceError}. Helm checks the digest only for
 * repositories that were added by name.
 */
export function checkDigest(archive: Uint8Array, digest: string, where: string): void {
  const expected = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(digest)?.[1]?.toLowerCase();
  if (expected === undefined) {
    throw new SourceError(
      'repository_invalid',
      `the digest of ${where} in the index, ${JSON.stringify(digest)}, is not a SHA-256 in hex; index the repository again`,
    );
  }
  const actual = createHash('sha256').update(archive).digest('hex');
  if (actual !== expected) {
    throw new SourceError(
      'digest_mismatch',
      `${where} does not match its digest: its SHA-256 is ${actual} and should be ${expected}; it was changed after it was published`,
    );
  }
}
