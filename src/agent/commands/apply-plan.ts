import { applyPlan as apply, resumeApplyPlan } from '../../operation/plan/apply-plan.ts';
import { performance } from './performance.ts';
import { publicRelease } from './release-answer.ts';

export const applyPlan = performance('apply_plan', {
  request: ({ plan }, { plans }) => ({ plan, plans }),
  operation: apply,
  resume: resumeApplyPlan,
  answer: ({ release, unchanged, info = '' }) => ({
    ...(release && { release: publicRelease(release) }),
    ...(unchanged === true && { unchanged }),
    ...(info !== '' && { info }),
  }),
});
