import * as z from 'zod';
import type { TimeRange } from '../objects/cluster.ts';
import { maxApprovalLength } from '../protocol/limits.ts';
import { readEnvelope, signEnvelope, signersOf } from './envelope.ts';
import type { PublicKey } from './public-key.ts';
import { SignatureError } from './signature-error.ts';
import type { Signer } from './signer.ts';
import {
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
const approvalPayloadType = 'application/vnd.helm-agent.approval.v1+json';

/** Number of plans that one approval is for. */
export const maxApprovedPlans = 50;

const approvedPlanSchema = z.strictObject({
  agentId: z.string().min(1).max(253),
  /** `NAMESPACE/NAME@DIGEST` with all characters of the digest. */
  plan: z
    .string()
    .max(512)
    .regex(/^[^/@]+\/[^/@]+@[0-9a-f]{64}$/),
});

const statementSchema = z.strictObject({
  plans: z.array(approvedPlanSchema).min(1).max(maxApprovedPlans),
  ...validityFields,
});

/** A plan, and the agent that has made it. */
export type ApprovedPlan = z.output<typeof approvedPlanSchema>;

/**
 * Returns the envelope of an approval of plans, as JSON text. Throws `SignatureError` if there are
 * too many plans, or if one has no full digest.
 */
export async function signApproval(
  plans: readonly ApprovedPlan[],
  signers: readonly Signer[],
  options: SignOptions,
): Promise<string> {
  const { data, error } = z.array(approvedPlanSchema).min(1).max(maxApprovedPlans).safeParse(plans);
  if (data === undefined) {
    throw invalid(`needs 1 to ${maxApprovedPlans} plans with all 64 characters of their digests: ${error.message}`);
  }
  const statement = { plans: data, ...validityOf(options) };
  const envelope = await signEnvelope(approvalPayloadType, JSON.stringify(statement), signers);
  if (envelope.length > maxApprovalLength) throw invalid('is too long; approve fewer plans at once');
  return envelope;
}

/**
 * Returns who has approved a plan. Keys that are not given do not count. `time` is the present
 * time, or undefined if the approval was valid when its command began. Throws `SignatureError`,
 * whose message is the end of a sentence.
 */
export function verifyApproval<Key extends PublicKey>(
  envelopeText: string,
  { agentId, plan }: ApprovedPlan,
  keys: readonly Key[],
  time: TimeRange | undefined,
): VerifiedSignature<Key> {
  const envelope = readEnvelope(envelopeText, maxApprovalLength);
  if (envelope.payloadType !== approvalPayloadType) throw invalid('has an envelope that is not that of an approval');
  const signers = signersOf(envelope, keys);
  const signed = readStatement(statementSchema, envelope);
  if (signed === undefined) throw invalid('has an envelope without the fields of an approval');
  const ofAgent = signed.plans.filter((approved) => approved.agentId === agentId);
  if (ofAgent.length === 0) throw invalid('is for plans of other agents');
  if (!ofAgent.some((approved) => approved.plan === plan)) throw invalid('is for other plans');
  const lifetime = lifetimeOf(signed);
  if (lifetime === undefined) {
    throw invalid(`must expire after it was signed, and at most ${maxLifetimeMs / 3_600_000} hours later`);
  }
  if (time !== undefined) requireTime(lifetime, time);
  return { signers, ...lifetime };
}

function invalid(problem: string): SignatureError {
  return new SignatureError('signature_invalid', `the approval ${problem}`);
}
