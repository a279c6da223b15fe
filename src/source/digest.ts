import { createHash } from 'node:crypto';
import { SourceError } from './source-error.ts';

/**
 * Holds an archive against the sha256 of it that an index gives, in hex, with or without `sha256:` before it. Throws
 * {@link SourceError}. (Helm looks at the digest only where the repository was added by name.)
 */
export function checkDigest(archive: Uint8Array, digest: string, where: string): void {
  const expected = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(digest)?.[1]?.toLowerCase();
  if (expected === undefined) {
    throw new SourceError(
      'repository_invalid',
      `the index gives for ${where} the digest ${JSON.stringify(digest)}, which is no sha256 in hex; the repository has to be indexed again`,
    );
  }
  const actual = createHash('sha256').update(archive).digest('hex');
  if (actual !== expected) {
    throw new SourceError(
      'digest_mismatch',
      `${where} is not the archive that the index promises: its sha256 is ${actual} and should be ${expected}; it was changed after it was indexed`,
    );
  }
}
