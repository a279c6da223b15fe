import { applyPlan as definition } from '../../protocol/commands/apply-plan.ts';
import { deployNote, successText } from '../ctl/result-text.ts';
import type { Verb } from './verb.ts';

/** Helm does not have this verb. */
export const applyPlan: Verb<'apply_plan'> = {
  type: 'apply_plan',
  definition,
  values(flags, { plan }) {
    const namespace = flags.optionalText('namespace');
    const [named = ''] = String(plan).split('/');
    if (namespace === undefined || namespace === named) return {};
    throw new Error(`the plan ${String(plan)} is for namespace ${named}, not ${namespace}; leave -n out`);
  },
  text: (answer) => (deployNote(answer) ?? '') + successText({ ok: true, ...answer }),
};
