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

/** The command `helm get values` (pkg/cmd/get_values.go). */
export const getValues: Command<HelmContext> = {
  use: 'values RELEASE_NAME',
  long: 'Print the values that a release was given, or with --all those of the chart, too.',
  examples: ['web', 'web --all -o json'],
  checkArguments: argumentCount('exactly', 1),
  flags: () => [revisionFlag(), switchFlag('all', "also print the chart's defaults", { shorthand: 'a' }), outputFlag],
  async run(invocation) {
    const { flags, context } = invocation;
    const all = flags.isOn('all');
    const answer = await getRelease(invocation, { allValues: all });
    const values = all ? computedValues(answer) : userValues(releaseOf(answer, ['config']));
    context.stdout.write(textOf(outputFormat(flags), valuesOutput(values, { all })));
  },
};
