import { createHash } from 'node:crypto';
import { SealingError } from './sealing-error.ts';

/** The public key of an agent to which values are sealed: X25519 (RFC 7748). */
export interface PublicSealingKey {
  /** `SHA256:` and the SHA-256 of the key's line without a comment, in base64. */
  id: string;
  /** The 32 bytes of the key. */
  bytes: Buffer;
}

const keyType = 'helm-agent-sealing-x25519';
const keyBytes = 32;
const maxLineLength = 1000;

/**
 * Reads the line of a key, as `ctl sealing-key` prints it: its type, its bytes in base64, and a
 * comment. Throws `SealingError`, whose message is the end of a sentence.
 */
export function readSealingKey(text: string): PublicSealingKey {
  const line = text.trim();
  const [type = '', encoded = ''] = line.split(/[ \t]+/, 2);
  const bytes = Buffer.from(encoded, 'base64');
  const isKey = type === keyType && bytes.length === keyBytes && bytes.toString('base64') === encoded;
  if (isKey && line.length <= maxLineLength && !/[\r\n]/.test(line)) return sealingKeyOf(bytes);
  throw new SealingError(`must have one line "${keyType} …", as ctl sealing-key prints it`);
}

/** Returns the key with these 32 bytes. */
export function sealingKeyOf(bytes: Buffer): PublicSealingKey {
  const digest = createHash('sha256').update(lineOf(bytes)).digest('base64').replace('=', '');
  return { id: `SHA256:${digest}`, bytes };
}

/** Returns a key as a line. */
export function sealingKeyLine({ bytes }: PublicSealingKey): string {
  return lineOf(bytes);
}

function lineOf(bytes: Buffer): string {
  return `${keyType} ${bytes.toString('base64')}`;
}
