import { codeOf, messageOf } from '../../errors/index.ts';
import type { GivenApprovals } from '../../policy/plan-approvals.ts';
import { operationOf } from '../command-operation.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import type { AnswerOf } from '../request.ts';
import { requirePlan } from './apply-plan.ts';

type Approvals = AnswerOf<'approve_plan'>['approvals'];

/** Returns the approvals of a plan for a result, also those that do not count now. */
export function approvalsOf(
  { policy }: Pick<OperationContext, 'policy'>,
  plan: string,
  { envelopes, isAnnotated }: GivenApprovals,
): { approvals: Approvals; isAnnotated: boolean } {
  const verifier = policy?.approvals;
  if (verifier === undefined) return { approvals: [], isAnnotated };
  const approvals = envelopes.map((envelope): Approvals[number] => {
    try {
      const { signers, expiresAt } = verifier.read(plan, envelope);
      return { by: [...new Set(signers.map(({ name }) => name))], expires: new Date(expiresAt).toISOString() };
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return { by: [], problem: messageOf(error) };
    }
  });
  return { approvals, isAnnotated };
}

export const operation = operationOf('approve_plan', {
  request: ({ plan, approval }, { plans }) => ({ plan, approval, plans }),
  async run(context, { plan, approval, plans }) {
    const verifier = context.policy?.approvals;
    if (verifier === undefined) {
      const message =
        'the agent has no policy with keys, so an approval has no effect; let the owner of the cluster add one';
      throw new OperationError('forbidden', message);
    }
    const { id } = await requirePlan(plans, plan);
    verifier.read(id, approval);
    await plans.approve(id, approval);
    return { plan: id, approvals: approvalsOf(context, id, await plans.approvals(id)).approvals };
  },
  answer: (outcome) => outcome,
});
