import { planRelease } from '../../protocol/commands/plan-release.ts';
import { planText } from '../ctl/output/plan.ts';
import { customFlag } from '../pflag/flag.ts';
import { oneLine } from '../text.ts';
import { typeOf, type Verb } from './verb.ts';

/** The commands that can be planned, and what a plan calls them. */
const actions = {
  install_release: 'install',
  upgrade_release: 'upgrade',
  rollback_release: 'rollback',
  uninstall_release: 'uninstall',
} as const;

const formats = ['text', 'json'];

const outputFlag = customFlag('format', 'output', `format of the output: ${formats.join(', ')}`, {
  shorthand: 'o',
  initial: 'text',
  check(text) {
    if (formats.includes(text)) return text;
    throw new Error(`must be one of ${formats.join(', ')}`);
  },
});

/** Returns the verb of `ctl plan` with the arguments and flags of the verb that it plans. */
export function planOf<Type extends keyof typeof actions>(verb: Verb<Type>): Verb<'plan_release'> {
  const { definition, flags = [], argumentValues } = verb;
  return {
    type: 'plan_release',
    definition: { ...definition, right: planRelease.right },
    flags: [...flags.filter(({ name }) => name !== 'output'), outputFlag],
    ...(argumentValues && { argumentValues }),
    values(given, fields) {
      const values = { ...fields, ...verb.values?.(given, fields) };
      if (values.dryRun !== undefined) throw new Error('leave out --dry-run: a plan changes nothing');
      return { ...values, action: actions[typeOf(verb, given)] };
    },
    shows: () => 'progress',
    text(answer, { flags: given, next }) {
      if (given.text('output') === 'json') return `${JSON.stringify(answer)}\n`;
      const apply = next?.('apply-plan', answer.plan) ?? '';
      return `${planText(answer)}To apply it: ${oneLine(apply)}\n`;
    },
  };
}
