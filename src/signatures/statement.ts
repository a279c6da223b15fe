import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { TimeRange } from '../objects/cluster.ts';
import { JsonTextError, parseJson } from '../protocol/json.ts';
import type { Envelope } from './envelope.ts';
import type { PublicKey } from './public-key.ts';
import { SignatureError } from './signature-error.ts';

/** Longest time for which a signature is valid, in milliseconds: as long as a command can wait. */
export const maxLifetimeMs = 168 * 3_600_000;

/** Difference between the clocks of a signer and of a cluster that is allowed, in milliseconds. */
const skewMs = 60_000;

export interface SignOptions {
  /** Milliseconds since the Unix epoch. */
  now: number;
  /** Time for which the signature is valid, in milliseconds, at most `maxLifetimeMs`. */
  lifetimeMs: number;
}

/** A statement whose signatures are valid. */
export interface VerifiedSignature<Key extends PublicKey> {
  /** The keys that have signed it, each once. */
  signers: Key[];
  /** Milliseconds since the Unix epoch. */
  issuedAt: number;
  /** Milliseconds since the Unix epoch. */
  expiresAt: number;
}

/** The fields of a statement that expires. */
export const validityFields = {
  issuedAt: z.iso.datetime({ precision: 3 }),
  expiresAt: z.iso.datetime({ precision: 3 }),
};

/** Returns {@link validityFields} for a signature of now. */
export function validityOf({ now, lifetimeMs }: SignOptions): { issuedAt: string; expiresAt: string } {
  const expires = now + Math.min(lifetimeMs, maxLifetimeMs);
  return { issuedAt: new Date(now).toISOString(), expiresAt: new Date(expires).toISOString() };
}

/** Returns the digest of a text, as statements have it. */
export function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** Returns the statement in an envelope, or undefined if its fields are others. */
export function readStatement<Schema extends z.ZodType>(
  schema: Schema,
  { payload }: Pick<Envelope, 'payload'>,
): z.output<Schema> | undefined {
  try {
    return schema.safeParse(parseJson(payload.toString())).data;
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return undefined;
  }
}

/**
 * Returns when a signature was made and when it expires, in milliseconds since the Unix epoch, or
 * undefined if it is valid for too long, or never.
 */
export function lifetimeOf(validity: {
  issuedAt: string;
  expiresAt: string;
}): { issuedAt: number; expiresAt: number } | undefined {
  const [issuedAt, expiresAt] = [Date.parse(validity.issuedAt), Date.parse(validity.expiresAt)];
  return expiresAt > issuedAt && expiresAt - issuedAt <= maxLifetimeMs ? { issuedAt, expiresAt } : undefined;
}

/** Throws `SignatureError` for a signature that has expired, or that is from the future. */
export function requireTime({ issuedAt, expiresAt }: { issuedAt: number; expiresAt: number }, time: TimeRange): void {
  if (expiresAt + skewMs < time.earliest) {
    const ended = new Date(expiresAt).toISOString();
    throw new SignatureError('signature_expired', `its signature has expired at ${ended}; sign and send it again`);
  }
  if (issuedAt - skewMs > time.latest) {
    const begins = new Date(issuedAt).toISOString();
    throw new SignatureError('signature_invalid', `it was signed at ${begins}, which is still to come; set the clocks`);
  }
}
