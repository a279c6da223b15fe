import * as z from 'zod';
import { readEnvelope, signEnvelopeNow, signersOf } from './envelope.ts';
import type { PublicKey } from './public-key.ts';
import { SignatureError } from './signature-error.ts';
import type { LocalSigner } from './signer.ts';
import { digestOf, readStatement } from './statement.ts';

/** The type of the signed content, so that a signature of something else never counts. */
const resultPayloadType = 'application/vnd.helm-agent.result.v1+json';

const statementSchema = z.strictObject({
  agentId: z.string(),
  key: z.string(),
  /** Digest of the command's type, a line feed and its payload: `sha256:HEX`. */
  command: z.string(),
  /** Digest of the result's JSON text. */
  result: z.string(),
});

/** A result, and the command that it belongs to. */
export interface ResultFacts {
  agentId: string;
  key: string;
  /** SHA-256 of the command's type, a line feed and its payload, in hexadecimal digits. */
  fingerprint: string;
  /** JSON text of the result. */
  result: string;
}

/** Returns the envelope of a result, as JSON text. */
export function signResult({ agentId, key, fingerprint, result }: ResultFacts, signer: LocalSigner): string {
  const statement = { agentId, key, command: `sha256:${fingerprint}`, result: digestOf(result) };
  return signEnvelopeNow(resultPayloadType, JSON.stringify(statement), signer);
}

/**
 * Checks that an agent has signed a result. Facts that are undefined are not compared. Throws
 * `SignatureError`, whose message is the end of a sentence.
 */
export function verifyResult(
  envelopeText: string,
  { agentId, key, fingerprint, result }: Partial<ResultFacts> & Pick<ResultFacts, 'key' | 'result'>,
  agentKeys: readonly PublicKey[],
): void {
  const envelope = readEnvelope(envelopeText);
  if (envelope.payloadType !== resultPayloadType) throw invalid('its envelope is not that of a result');
  if (signersOf(envelope, agentKeys).length === 0) throw invalid('it has no signature of the key of the agent');
  const signed = readStatement(statementSchema, envelope);
  if (signed === undefined) throw invalid('its envelope does not have the fields of a result');
  if (agentId !== undefined && signed.agentId !== agentId) throw invalid(`it is a result of another agent`);
  if (signed.key !== key) throw invalid('it is the result of a command with another key');
  if (fingerprint !== undefined && signed.command !== `sha256:${fingerprint}`) {
    throw invalid('it is the result of another command: the one that was sent has been changed');
  }
  if (signed.result !== digestOf(result)) throw invalid('it was changed after the agent had signed it');
}

function invalid(problem: string): SignatureError {
  return new SignatureError('signature_invalid', problem);
}
