import * as z from 'zod';
import type { TimeRange } from '../objects/cluster.ts';
import { maxKeyLength, maxTypeLength } from '../protocol/limits.ts';
import { readEnvelope, signEnvelope, signersOf } from './envelope.ts';
import type { PublicKey } from './public-key.ts';
import { SignatureError } from './signature-error.ts';
import type { Signer } from './signer.ts';
import {
  digestOf,
  lifetimeOf,
  maxLifetimeMs,
  readStatement,
  requireTime,
  type SignOptions,
  validityFields,
  validityOf,
  type VerifiedSignature,
} from './statement.ts';

/** The type of the signed content, so that a signature of something else never counts. */
export const commandPayloadType = 'application/vnd.helm-agent.command.v1+json';

const statementSchema = z.strictObject({
  agentId: z.string().max(253),
  key: z.string().min(1).max(maxKeyLength),
  type: z.string().min(1).max(maxTypeLength),
  /** Digest of the payload's bytes: `sha256:HEX`. */
  payload: z.string().length('sha256:'.length + 64),
  ...validityFields,
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

/** Returns the envelope of a command, as JSON text. */
export async function signCommand(
  { agentId, key, type, payload }: CommandPacket & { key: string },
  signers: readonly Signer[],
  options: SignOptions,
): Promise<string> {
  const statement = { agentId, key, type, payload: digestOf(payload), ...validityOf(options) };
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
  const signed = readStatement(statementSchema, envelope);
  if (signed === undefined) throw invalid('the envelope does not have the fields of a command');
  const expected = { ...packet, payload: digestOf(packet.payload) };
  for (const field of ['agentId', 'key', 'type', 'payload'] as const) {
    if (signed[field] !== expected[field]) throw invalid(`it was signed for another ${fieldNames[field]}`);
  }
  const lifetime = lifetimeOf(signed);
  if (lifetime === undefined) {
    throw invalid(`its signature must expire after it was made, and at most ${maxLifetimeMs / 3_600_000} hours later`);
  }
  if (time !== undefined) requireTime(lifetime, time);
  return { signers, ...lifetime };
}

const fieldNames = { agentId: 'agent', key: 'key', type: 'type', payload: 'payload' } as const;

function invalid(problem: string): SignatureError {
  return new SignatureError('signature_invalid', problem);
}
