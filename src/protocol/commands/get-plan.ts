import * as z from 'zod';
import { answerList, longText } from '../bounded.ts';
import { planField } from './apply-plan.ts';
import { defineCommand } from './definition.ts';
import { planAnswer } from './plan-release.ts';

/** An approval that is kept with a plan. */
export const planApproval = z.object({
  by: answerList(longText).describe('The holders of keys of the policy who have signed it'),
  expires: longText.optional().describe('Time in RFC 3339 at which it expires'),
  problem: longText.optional().describe('Why it does not count'),
});

export const getPlan = defineCommand({
  summary: 'Returns a plan of `plan_release` again, with its approvals.',
  method: 'getPlan',
  fields: { plan: planField },
  answer: planAnswer.extend({
    approvals: answerList(planApproval),
    annotated: z.boolean().optional().describe('True if the annotation of its Secret approves it'),
  }),
  plainField: 'plan',
  changes: () => undefined,
  right: 'read',
  survives: false,
  line: {
    name: 'get-plan',
    short: 'Show a plan again, with its approvals',
    arguments: [{ field: 'plan', kind: 'plan', shown: 'PLAN' }],
    examples: ['demo/podinfo@3f9c2a7b81d4'],
  },
});
