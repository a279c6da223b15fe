import { getPlan as definition } from '../../protocol/commands/get-plan.ts';
import type { CommandAnswers } from '../../protocol/commands/index.ts';
import { oneLine } from '../text.ts';
import { ofPlan } from './apply-plan.ts';
import { outputFlag, planText } from './plan.ts';
import type { Verb } from './verb.ts';

/** Helm does not have this verb. */
export const getPlan: Verb<'get_plan'> = {
  type: 'get_plan',
  definition,
  flags: [outputFlag],
  values: ofPlan,
  text(answer, { flags, next }) {
    if (flags.text('output') === 'json') return `${JSON.stringify(answer)}\n`;
    const [release = ''] = answer.plan.split('@');
    const approve = next?.('approve-plan', `${release}@${answer.digest}`) ?? '';
    return `${planText(answer)}${approvalsText(answer)}To approve it: ${oneLine(approve)} --sign-key FILE\n`;
  },
};

/** Returns the approvals of a plan, one in each line. */
export function approvalsText({
  approvals,
  annotated = false,
}: Pick<CommandAnswers['get_plan'], 'approvals' | 'annotated'>): string {
  const lines = approvals.map(({ by, expires = '', problem }) => {
    return problem === undefined ? `approved by ${by.join(', ')} until ${expires}` : `does not count: ${problem}`;
  });
  const all = [...lines, ...(annotated ? ['approved by the annotation of its Secret'] : [])];
  return `${['APPROVALS:', ...(all.length === 0 ? ['none'] : all).map((line) => `  ${oneLine(line)}`)].join('\n')}\n`;
}
