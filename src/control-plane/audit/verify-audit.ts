import * as z from 'zod';
import { lineDigest } from './audit-entry.ts';

/** An entry of an audit log that was changed, or is missing. */
export class AuditError extends Error {
  override readonly name = 'AuditError';
}

/** The entries of an audit log that belong together. */
export interface VerifiedAudit {
  count: number;
  first: number;
  last: number;
  /** SHA-256 of the last line. */
  digest: string;
  /** The SHA-256 of all lines. */
  digests: ReadonlySet<string>;
}

const entrySchema = z.looseObject({ number: z.int(), previous: z.string() });

/** The longest line, in bytes. */
const maxLineBytes = 64 * 1024;

const lineFeed = 0x0a;

/**
 * Checks the lines of an audit log: none was changed or inserted, and none is missing between the
 * first and the last. Throws `AuditError`.
 */
export function verifyAudit(bytes: Uint8Array): VerifiedAudit {
  let previous: { number: number; digest: string } | undefined;
  let first = 0;
  const digests = new Set<string>();
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const found = bytes.indexOf(lineFeed, start);
    const end = found === -1 ? bytes.length : found;
    const text = bytes.subarray(start, end);
    start = end + 1;
    const entry = readEntry(text, line);
    if (previous && entry.number !== previous.number + 1) {
      throw new AuditError(`line ${line}: entry ${entry.number} follows entry ${previous.number}; entries are missing`);
    }
    if (previous && entry.previous !== previous.digest) {
      const entries = `entry ${previous.number} or entry ${entry.number}`;
      throw new AuditError(`line ${line}: ${entries} was changed; their digests do not fit together`);
    }
    first ||= entry.number;
    previous = { number: entry.number, digest: lineDigest(text) };
    digests.add(previous.digest);
  }
  if (!previous) throw new AuditError('there are no entries');
  return { count: digests.size, first, last: previous.number, digest: previous.digest, digests };
}

function readEntry(text: Uint8Array, line: number): z.output<typeof entrySchema> {
  if (text.length > maxLineBytes) throw new AuditError(`line ${line}: it has more than ${maxLineBytes} bytes`);
  try {
    return entrySchema.parse(JSON.parse(new TextDecoder().decode(text)));
  } catch {
    throw new AuditError(`line ${line}: it is not an entry of an audit log`);
  }
}
