import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { lintCharts } from '../../lint/lint-charts.ts';
import { switchFlag, textFlag } from '../../pflag/flag.ts';
import { kubeVersionOf } from '../../release-options.ts';
import { mergeValueFlags } from '../../values.ts';
import { valueFlags, valuesOfFlags } from '../../verb/value-flags.ts';
import type { HelmContext } from '../context.ts';
import { nunjucksFlag } from './own-flags.ts';

/** `helm lint` (pkg/cmd/lint.go) */
export const lintCommand: Command<HelmContext> = {
  use: 'lint PATH',
  long: `Check charts for possible problems.

An error would make an installation fail, a warning breaks a convention.`,
  examples: ['./web', './web --strict --with-subcharts -f values.yaml'],
  checkArguments: argumentCount('at least', 1),
  flags: (context) => [
    switchFlag('strict', 'also fail on warnings'),
    switchFlag('with-subcharts', 'also check the charts in charts/'),
    switchFlag('quiet', 'print only warnings and errors'),
    switchFlag('skip-schema-validation', 'do not check the values against values.schema.json'),
    textFlag('kube-version', 'Kubernetes version in .Capabilities.KubeVersion, and for deprecated APIs'),
    ...valueFlags,
    nunjucksFlag(context),
  ],
  async run({ args, flags, context }) {
    const { stdout, readFile } = context;
    const options = {
      kubeVersion: kubeVersionOf({ kubeVersion: flags.text('kube-version') }),
      withSubcharts: flags.isOn('with-subcharts'),
      namespace: await context.namespace(),
      quiet: flags.isOn('quiet'),
      strict: flags.isOn('strict'),
      skipSchemaValidation: flags.isOn('skip-schema-validation'),
      values: () => mergeValueFlags(valuesOfFlags(flags), readFile),
      helm: context.log,
    };
    const createRenderer = () => context.createRenderer({ allowNunjucks: flags.isOn('allow-nunjucks') });
    const { text, failure } = await lintCharts(args, options, createRenderer);
    stdout.write(text);
    if (failure !== undefined) throw new Error(failure);
  },
};
