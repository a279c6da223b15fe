import * as z from 'zod';
import { answerList, longText } from '../bounded.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';
import { deployAnswer } from './release-answer.ts';

const planId = /^([^/@]+\/[^/@]+)@[0-9a-f]{12,64}$/;

/** The field with the id of a plan. */
export const planField = field(
  z
    .string()
    .max(1024)
    .regex(planId, { error: 'must be the id of a plan, such as shop/web@3f9c2a7b81d4' })
    .describe('Id of the plan: `NAMESPACE/NAME@` and at least 12 characters of the digest'),
);

export const applyPlan = defineCommand({
  summary:
    'Performs a plan of `plan_release`, with the manifest and the options that it has. Fails with `plan_stale` if the release or its objects have changed since, and with `approval_required` if the policy of the owner requires approvals that it does not have.',
  method: 'applyPlan',
  fields: {
    plan: planField,
  },
  answer: deployAnswer.partial({ release: true }).extend({
    info: longText.optional().describe('The resources that an uninstallation has kept, as text'),
    approvedBy: answerList(longText)
      .optional()
      .describe('Who has approved the plan, if the policy of the owner requires approvals'),
  }),
  plainField: 'release',
  changes: ({ plan }) => planId.exec(plan)?.[1],
  right: 'deploy',
  survives: true,
  line: {
    name: 'apply-plan',
    short: 'Do what a plan says',
    arguments: [{ field: 'plan', kind: 'plan', shown: 'PLAN' }],
    examples: ['demo/podinfo@3f9c2a7b81d4'],
  },
});
