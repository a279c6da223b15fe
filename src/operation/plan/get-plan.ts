import { operationOf } from '../command-operation.ts';
import { requirePlan, requirePlanner } from './apply-plan.ts';
import { approvalsOf } from './approve-plan.ts';
import { answerOf } from './plan-release.ts';

export const operation = operationOf('get_plan', {
  request: ({ plan }, { plans }) => ({ plan, plans }),
  async run(context, { plan, plans }) {
    const entry = await requirePlan(plans, plan);
    requirePlanner(context.account, entry.id, entry.content.account);
    const given = await plans.approvals(entry.id);
    return { entry, secret: plans.secretOf?.(entry.id), ...approvalsOf(context, entry.id, given) };
  },
  answer: ({ entry, secret, approvals, isAnnotated }) => ({
    ...answerOf(entry, secret),
    approvals,
    ...(isAnnotated && { annotated: true }),
  }),
});
