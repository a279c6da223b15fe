import * as z from 'zod';
import { agentIdSchema } from './agent-id.ts';

/** Bytes in base64url without padding, in the only form that encodes them. */
function bytesSchema(bytes: number) {
  const length = Math.ceil((bytes * 4) / 3);
  return z
    .string()
    .length(length)
    .regex(/^[A-Za-z0-9_-]*$/, 'must be base64url')
    .refine((text) => Buffer.from(text, 'base64url').toString('base64url') === text, 'must be base64url');
}

/** A public Ed25519 key (RFC 8032). */
const publicKeySchema = bytesSchema(32);
const uidSchema = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9-]+$/, 'must be a uid');

/** Number of random bytes in a nonce. */
export const nonceBytes = 32;

/** A control plane's first packet to an agent that has a key. */
export const challengeSchema = z.object({
  audience: z
    .string()
    .max(128)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be letters, digits, "_" and "-"')
    .describe('Id of the control plane, which stays the same. An agent signs only for the one that it has enrolled at'),
  nonce: bytesSchema(nonceBytes).describe('32 random bytes, which are used once'),
});
export type Challenge = z.output<typeof challengeSchema>;

/** An agent's reply to a challenge. */
export const proofSchema = z.object({
  agentId: agentIdSchema.describe('Id of the agent'),
  key: publicKeySchema.describe('Public Ed25519 key of the agent: 32 bytes in base64url'),
  signature: bytesSchema(64).describe('Ed25519 signature of the text below: 64 bytes in base64url'),
  nextKey: publicKeySchema.optional().describe('The key that will replace `key`. Default: none'),
  enrolmentToken: z
    .string()
    .max(128)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be a token')
    .optional()
    .describe('One-time token, if the key is not enrolled yet'),
  clusterUid: uidSchema.optional().describe('uid of the namespace `kube-system`, if the agent may read it'),
  secretUid: uidSchema.optional().describe('uid of the Secret that has the private key'),
});
export type Proof = z.output<typeof proofSchema>;

/** Says that a proof was accepted. The agent then sends `hello`. */
export const provedSchema = z.object({});

/** Says that a person has to accept the agent first. */
export const pendingSchema = z.object({});

/**
 * Returns the text that an agent signs. No field can have a line break, so that no two proofs have
 * the same text. The token is not signed: who has it needs no key.
 */
export function proofText(challenge: Challenge, proof: Omit<Proof, 'signature' | 'enrolmentToken'>): Buffer {
  const lines = [
    'helm-agent proof v1',
    `audience ${challenge.audience}`,
    `nonce ${challenge.nonce}`,
    `agent ${proof.agentId}`,
    `key ${proof.key}`,
    `next ${proof.nextKey ?? ''}`,
    `cluster ${proof.clusterUid ?? ''}`,
    `secret ${proof.secretUid ?? ''}`,
  ];
  return Buffer.from(`${lines.join('\n')}\n`);
}
