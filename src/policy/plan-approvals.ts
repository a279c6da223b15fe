import { codeOf } from '../errors/index.ts';
import type { TimeRange } from '../objects/cluster.ts';
import { verifyApproval } from '../signatures/approval-statement.ts';
import { SignatureError } from '../signatures/signature-error.ts';
import type { VerifiedSignature } from '../signatures/statement.ts';
import { holdersOf, keysAt, type RequiredApprovers, type TrustedKey } from '../signatures/trusted-keys.ts';
import type { PolicyRule } from './policy-rules.ts';

/** The approvals of a plan. */
export interface GivenApprovals {
  /** Envelopes, as JSON text. */
  envelopes: readonly string[];
  /** Whether the Secret of the plan has the annotation that approves it. */
  isAnnotated: boolean;
}

/** Verifies approvals of plans. */
export interface PlanApprovals {
  /**
   * Returns who has approved a plan, whose id has the full digest. Throws `SignatureError` for an
   * envelope that does not approve it, or that no key of the policy has signed.
   */
  read(plan: string, envelope: string): VerifiedSignature<TrustedKey>;
  /**
   * Returns the holders by whom a plan is approved. Throws `SignatureError` `approval_required` if
   * these are less than the rule requires.
   */
  require(plan: string, given: GivenApprovals): readonly string[];
}

/** The holder who approves by the annotation, beside the holders of keys. */
const byAnnotation = 'the annotation';

interface ApprovalOptions {
  agentId: string;
  keys: readonly TrustedKey[];
  /** The rule of the command. Default: none is required. */
  rule: Pick<PolicyRule, 'name' | 'approvedBy'> | undefined;
  now: TimeRange;
  /** Whether the command has begun, while its approvals had not expired. */
  isContinued: boolean;
  /** Holders who have signed the command itself: their approvals do not count. */
  senders: readonly TrustedKey[];
}

/** Returns the approvals that the rule of a command counts. */
export function planApprovals({ agentId, keys, rule, now, isContinued, senders }: ApprovalOptions): PlanApprovals {
  const read = (plan: string, envelope: string) => {
    const time = isContinued ? undefined : now;
    const verified = verifyApproval(envelope, { agentId, plan }, keysAt(keys, now), time);
    if (verified.signers.length > 0) return verified;
    throw new SignatureError('signature_required', 'the approval is not signed by a key of the policy');
  };
  return {
    read,
    require(plan, { envelopes, isAnnotated }) {
      if (rule?.approvedBy === undefined) return [];
      const required = rule.approvedBy;
      const problems = new Set<string>();
      const signers = envelopes.flatMap((envelope) => {
        try {
          return read(plan, envelope).signers;
        } catch (error) {
          if (codeOf(error) === undefined || !(error instanceof SignatureError)) throw error;
          problems.add(error.message);
          return [];
        }
      });
      const others = signers.filter(({ name }) => !senders.some((sender) => sender.name === name));
      if (others.length < signers.length) problems.add('who has signed the command cannot approve its plan');
      const given = [...holdersOf(others, required), ...(required.annotation && isAnnotated ? [byAnnotation] : [])];
      if (given.length >= required.count) return given;
      const found = given.length === 0 ? 'it has none of them' : `it has only that of ${given.join(', ')}`;
      const reasons = [found, ...problems].join('; ');
      throw new SignatureError(
        'approval_required',
        `rule ${rule.name} of the policy requires ${approversText(required)} for the plan ${plan}: ${reasons}`,
      );
    },
  };
}

/** Returns a policy that reports by whom a plan is approved, before it is performed. */
export function withLoggedApprovals<Policy extends { approvals?: PlanApprovals | undefined }>(
  policy: Policy,
  report: (approval: { plan: string; approvedBy: readonly string[] }) => void,
): Policy {
  const { approvals } = policy;
  if (approvals === undefined) return policy;
  return {
    ...policy,
    approvals: {
      ...approvals,
      require(plan, given) {
        const approvedBy = approvals.require(plan, given);
        if (approvedBy.length > 0) report({ plan, approvedBy });
        return approvedBy;
      },
    },
  };
}

/** Returns required approvals in words. */
export function approversText({ count, roles, annotation }: RequiredApprovers): string {
  const number = count === 1 ? 'an approval' : `${count} approvals of different holders`;
  const ways = [
    ...(roles.length === 0 ? [] : [`with the role ${roles.join(' or ')}`]),
    ...(annotation ? ['by the annotation of its Secret'] : []),
  ];
  return `${number} ${ways.join(' or ')}`;
}
