import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { TimeRange } from '../objects/cluster.ts';
import { JsonTextError, parseJson } from '../protocol/json.ts';
import { maxKeyLength, maxTypeLength } from '../protocol/limits.ts';
import { type Envelope, readEnvelope, signEnvelope, signersOf } from './envelope.ts';
import type { PublicKey } from './public-key.ts';
import { SignatureError } from './signature-error.ts';
import type { Signer } from './signer.ts';

/** The type of the signed content, so that a signature of something else never counts. */
export const commandPayloadType = 'application/vnd.helm-agent.command.v1+json';

/** Longest time for which a signature is valid, in milliseconds: as long as a command can wait. */
export const maxLifetimeMs = 168 * 3_600_000;

/** Difference between the clocks of a signer and of a cluster that is allowed, in milliseconds. */
const skewMs = 60_000;

const statementSchema = z.strictObject({
  agentId: z.string().max(253),
  key: z.string().min(1).max(maxKeyLength),
  type: z.string().min(1).max(maxTypeLength),
  /** Digest of the payload's bytes: `sha256:HEX`. */
  payload: z.string().length('sha256:'.length + 64),
  issuedAt: z.iso.datetime({ precision: 3 }),
  expiresAt: z.iso.datetime({ precision: 3 }),
});

/** The packet that a command is sent in. */
export interface CommandPacket {
  agentId: string;
  /** Undefined in the plain form, in which a key does not identify a command. */
  key: string | undefined;
  type: string;
  /** JSON text, as it is sent. */
  payload: string;
}

/** A command whose signatures are valid. */
export interface VerifiedSignature<Key extends PublicKey> {
  /** The keys that have signed it, each once. */
  signers: Key[];
  /** Milliseconds since the Unix epoch. */
  issuedAt: number;
  /** Milliseconds since the Unix epoch. */
  expiresAt: number;
}

export interface SignOptions {
  /** Milliseconds since the Unix epoch. */
  now: number;
  /** Time for which the signature is valid, in milliseconds, at most `maxLifetimeMs`. */
  lifetimeMs: number;
}

/** Returns the envelope of a command, as JSON text. */
export async function signCommand(
  { agentId, key, type, payload }: CommandPacket & { key: string },
  signers: readonly Signer[],
  { now, lifetimeMs }: SignOptions,
): Promise<string> {
  const issuedAt = new Date(now).toISOString();
  const expiresAt = new Date(now + Math.min(lifetimeMs, maxLifetimeMs)).toISOString();
  const statement = { agentId, key, type, payload: digestOf(payload), issuedAt, expiresAt };
  return await signEnvelope(commandPayloadType, JSON.stringify(statement), signers);
}

/**
 * Returns who has signed a command. Keys that are not given do not count. `time` is the present
 * time, or undefined if the signature was valid when the command was accepted. Throws
 * `SignatureError`, whose message is the end of a sentence.
 */
export function verifyCommand<Key extends PublicKey>(
  envelopeText: string,
  packet: CommandPacket,
  keys: readonly Key[],
  time: TimeRange | undefined,
): VerifiedSignature<Key> {
  const envelope = readEnvelope(envelopeText);
  if (envelope.payloadType !== commandPayloadType) {
    throw invalid(`the type of the envelope is not ${commandPayloadType}`);
  }
  const signers = signersOf(envelope, keys);
  const { issuedAt: issued, expiresAt: expires, ...signed } = statementOf(envelope);
  const expected = { ...packet, payload: digestOf(packet.payload) };
  for (const field of ['agentId', 'key', 'type', 'payload'] as const) {
    if (signed[field] !== expected[field]) throw invalid(`it was signed for another ${fieldNames[field]}`);
  }
  const issuedAt = Date.parse(issued);
  const expiresAt = Date.parse(expires);
  if (expiresAt - issuedAt > maxLifetimeMs || expiresAt <= issuedAt) {
    throw invalid(`its signature must expire after it was made, and at most ${maxLifetimeMs / 3_600_000} hours later`);
  }
  if (time !== undefined) requireTime({ issuedAt, expiresAt }, time);
  return { signers, issuedAt, expiresAt };
}

/** Returns the digest of a text, as statements have it. */
export function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

const fieldNames = { agentId: 'agent', key: 'key', type: 'type', payload: 'payload' } as const;

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

function statementOf({ payload }: Envelope): z.output<typeof statementSchema> {
  try {
    const { data } = statementSchema.safeParse(parseJson(payload.toString()));
    if (data !== undefined) return data;
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
  }
  throw invalid('the envelope does not have the fields of a command');
}

function invalid(problem: string): SignatureError {
  return new SignatureError('signature_invalid', problem);
}
