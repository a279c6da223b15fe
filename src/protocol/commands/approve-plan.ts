import * as z from 'zod';
import { answerList, longText } from '../bounded.ts';
import { maxApprovalLength } from '../limits.ts';
import { planField } from './apply-plan.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';
import { planApproval } from './get-plan.ts';

export const approvePlan = defineCommand({
  summary:
    'Keeps an approval with a plan of `plan_release`: a signature over the whole digest, by a key of the policy. Changes nothing in the cluster but the record of the plan.',
  method: 'approvePlan',
  fields: {
    plan: planField,
    approval: field(
      z.string().min(1).max(maxApprovalLength).describe('The envelope of the approval (DSSE), as JSON text'),
    ),
  },
  answer: z.object({
    plan: longText.describe('Id of the plan, with all characters of its digest'),
    approvals: answerList(planApproval).describe('All approvals of the plan'),
  }),
  plainField: 'plan',
  changes: () => undefined,
  right: 'read',
  survives: false,
});
