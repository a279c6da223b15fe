import { applyPlan as definition } from '../../protocol/commands/apply-plan.ts';
import { deployNote, successText } from '../ctl/result-text.ts';
import type { FlagValues } from '../pflag/flag-values.ts';
import type { Verb } from './verb.ts';

/** Helm does not have this verb. */
export const applyPlan: Verb<'apply_plan'> = {
  type: 'apply_plan',
  definition,
  values: ofPlan,
  text: (answer) => (deployNote(answer) ?? '') + successText({ ok: true, ...answer }),
};

/** Refuses a namespace that is not that of the plan. */
export function ofPlan(
  flags: FlagValues,
  { plan }: Readonly<Record<string, unknown>>,
): Readonly<Record<string, never>> {
  const namespace = flags.optionalText('namespace');
  const [named = ''] = String(plan).split('/');
  if (namespace === undefined || namespace === named) return {};
  throw new Error(`the plan ${String(plan)} is for namespace ${named}, not ${namespace}; leave -n out`);
}
