import { hash } from 'node:crypto';
import type { CommandRecord } from '../store/command-store.ts';

/** The parts of an entry that are not about its place in the log. */
export interface AuditFields {
  /** The request: its method and path, or the name of what happened. */
  readonly action: string;
  /** The user, or `application` for a call of the library. Undefined for what agents do. */
  readonly user?: string | undefined;
  /** Address of the other end of the connection, which may be that of a proxy. */
  readonly from?: string | undefined;
  /** `refused` also for a request that has failed for another reason, such as a wrong body. */
  readonly decision: 'allowed' | 'refused';
  /** `ok`, or the code of the error: `store_unavailable` if what was allowed is stored later. */
  readonly outcome: string;
  readonly agentId?: string | undefined;
  /** Type of the command. */
  readonly type?: string | undefined;
  readonly key?: string | undefined;
  readonly namespace?: string | undefined;
  readonly releaseName?: string | undefined;
  /** The rollout that has changed, by its id. */
  readonly rolloutId?: string | undefined;
  /** Its phase, or `awaiting-approval`. */
  readonly phase?: string | undefined;
  /** Number of its present wave, from 1. */
  readonly wave?: number | undefined;
  /** SHA-256 of the type of the command, a line feed and its payload. */
  readonly digest?: string | undefined;
  /** The token that was created or revoked, by its id. */
  readonly tokenId?: string | undefined;
  /** SHA-256 of the recording of a session. */
  readonly recording?: string | undefined;
  /** The session that has begun or ended, by its id. */
  readonly sessionId?: string | undefined;
  /** The webhook that was created, changed, disabled or deleted, by its id. */
  readonly webhookId?: string | undefined;
  /** Number of refused requests for which there is no entry of their own. */
  readonly count?: number | undefined;
}

/** Returns the fields about a command. */
export function auditOf({ record }: { record: CommandRecord }): Partial<AuditFields> {
  const { agentId, type, key, namespace, releaseName, fingerprint: digest } = record;
  return { agentId, type, key, namespace, releaseName, digest };
}

/** An entry of the audit log. */
export interface AuditEntry extends AuditFields {
  /** Counts the entries from 1. */
  readonly number: number;
  /** RFC 3339. */
  readonly time: string;
  /** SHA-256 of the line of the entry before, in hexadecimal; 64 zeros in the first entry. */
  readonly previous: string;
}

/** `previous` of the first entry. */
export const noEntry = '0'.repeat(64);

const maxFieldLength = 256;

/** Returns fields whose texts are short, and are printable ASCII. */
export function printableFields<Fields extends object>(fields: Fields): Fields {
  const entries = Object.entries(fields).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? value.slice(0, maxFieldLength).replace(/[^\x20-\x7e]/g, '?') : value,
  ]);
  return Object.fromEntries(entries) as Fields; // the same fields
}

/** Returns the SHA-256 of a line without its line feed, in hexadecimal. */
export function lineDigest(line: string | Uint8Array): string {
  return hash('sha256', line);
}
