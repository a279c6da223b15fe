import { verify } from 'node:crypto';
import * as z from 'zod';
import { JsonTextError, parseJson } from '../protocol/json.ts';
import { maxEnvelopeLength } from '../protocol/limits.ts';
import type { PublicKey } from './public-key.ts';
import { SignatureError } from './signature-error.ts';
import type { LocalSigner, Signer } from './signer.ts';

/** Number of signatures of an envelope. */
const maxSignatures = 8;

const signatureBytes = 64;

/** Bytes in base64, with the usual alphabet or that of URLs, in the only form that encodes them. */
const base64Schema = z.string().transform((text, context) => {
  const bytes = Buffer.from(text, 'base64');
  if (text === bytes.toString('base64') || text === bytes.toString('base64url')) return bytes;
  context.addIssue({ code: 'custom', message: 'must be base64' });
  return z.NEVER;
});

const envelopeSchema = z.object({
  payloadType: z.string().min(1).max(256),
  payload: base64Schema,
  signatures: z
    .array(
      z.object({
        keyid: z.string().min(1).max(128),
        sig: base64Schema.refine(({ length }) => length === signatureBytes, 'must be an Ed25519 signature'),
      }),
    )
    .min(1)
    .max(maxSignatures),
});

/** A content with signatures: an envelope of DSSE v1. */
export type Envelope = z.output<typeof envelopeSchema>;

/** Returns the bytes that DSSE signs: each part after its length, so that no two are alike. */
export function signedBytes(payloadType: string, payload: Uint8Array): Buffer {
  const type = Buffer.from(payloadType);
  return Buffer.concat([Buffer.from(`DSSEv1 ${type.length} `), type, Buffer.from(` ${payload.length} `), payload]);
}

/** Returns the JSON text of an envelope with a signature of each signer. */
export async function signEnvelope(payloadType: string, payload: string, signers: readonly Signer[]): Promise<string> {
  const bytes = signedBytes(payloadType, Buffer.from(payload));
  const signatures = await Promise.all(
    signers.map(async (signer) => ({ keyid: signer.publicKey.id, sig: encoded(await signer.sign(bytes)) })),
  );
  return envelopeText(payloadType, payload, signatures);
}

/** Like `signEnvelope`, for one signer that needs no other process. */
export function signEnvelopeNow(payloadType: string, payload: string, signer: LocalSigner): string {
  const sig = encoded(signer.sign(signedBytes(payloadType, Buffer.from(payload))));
  return envelopeText(payloadType, payload, [{ keyid: signer.publicKey.id, sig }]);
}

/** Reads an envelope. Throws `SignatureError`; its message does not quote the text. */
export function readEnvelope(text: string, maxLength = maxEnvelopeLength): Envelope {
  if (text.length > maxLength) throw invalid(`has more than ${maxLength} characters`);
  try {
    const { data, error } = envelopeSchema.safeParse(parseJson(text));
    if (data !== undefined) return data;
    const [issue] = error.issues;
    throw invalid(`is not one of DSSE: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not valid'}`);
  } catch (error) {
    throw error instanceof JsonTextError ? invalid(error.message) : error;
  }
}

/**
 * Returns the keys that have signed an envelope, each once. Signatures of other keys do not count.
 * Throws `SignatureError` if a signature of one of the keys is wrong.
 */
export function signersOf<Key extends PublicKey>(envelope: Envelope, keys: readonly Key[]): Key[] {
  const bytes = signedBytes(envelope.payloadType, envelope.payload);
  const found = new Set<Key>();
  for (const { keyid, sig } of envelope.signatures) {
    const known = keys.find(({ id }) => id === keyid);
    if (known === undefined) continue;
    if (!verify(null, bytes, known.key, sig)) throw invalid(`has a wrong signature of the key ${keyid}`);
    found.add(known);
  }
  return [...found];
}

function envelopeText(payloadType: string, payload: string, signatures: { keyid: string; sig: string }[]): string {
  return JSON.stringify({ payloadType, payload: Buffer.from(payload).toString('base64'), signatures });
}

function encoded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function invalid(problem: string): SignatureError {
  return new SignatureError('signature_invalid', `the envelope ${problem}`);
}
