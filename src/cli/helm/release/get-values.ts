import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { textOf } from '../../ctl/output/format.ts';
import { releaseOf } from '../../ctl/output/print.ts';
import { userValues, valuesOutput } from '../../ctl/output/values.ts';
import { switchFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { outputFlag } from '../flags/output-flag.ts';
import { outputFormat } from './output-format.ts';
import { computedValues, getRelease, revisionFlag } from './get-release.ts';

// prettier-ignore
const long = `
This command downloads a values file for a given release.
`;

/** The command `helm get values` (pkg/cmd/get_values.go). */
export const getValues: Command<HelmContext> = {
  use: 'values RELEASE_NAME',
  long,
  checkArguments: argumentCount('exactly', 1),
  flags: () => [revisionFlag(), switchFlag('all', 'dump all (computed) values', { shorthand: 'a' }), outputFlag],
  async run(invocation) {
    const { flags, context } = invocation;
    const all = flags.isOn('all');
    const answer = await getRelease(invocation, { allValues: all });
    const values = all ? computedValues(answer) : userValues(releaseOf(answer, ['config']));
    context.stdout.write(textOf(outputFormat(flags), valuesOutput(values, { all })));
  },
};
