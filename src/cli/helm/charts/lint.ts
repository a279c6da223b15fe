import { mergeValueFlags } from '../../values.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { lintCharts } from '../../lint/lint-charts.ts';
import { switchFlag, textFlag } from '../../pflag/flag.ts';
import { kubeVersionOf } from '../../release-options.ts';
import type { HelmContext } from '../context.ts';
import { valueFlags, valuesOfFlags } from '../flags/value-flags.ts';

/** `helm lint` (pkg/cmd/lint.go) */
export const lintCommand: Command<HelmContext> = {
  use: 'lint PATH',
  // prettier-ignore
  long: `
This command takes a path to a chart and runs a series of tests to verify that
the chart is well-formed.

If the linter encounters things that will cause the chart to fail installation,
it will emit [ERROR] messages. If it encounters issues that break with convention
or recommendation, it will emit [WARNING] messages.
`,
  checkArguments: argumentCount('at least', 1),
  flags: () => [
    switchFlag('strict', 'fail on lint warnings'),
    switchFlag('with-subcharts', 'lint dependent charts'),
    switchFlag('quiet', 'print only warnings and errors'),
    switchFlag('skip-schema-validation', 'if set, disables JSON schema validation'),
    textFlag('kube-version', 'Kubernetes version used for capabilities and deprecation checks'),
    ...valueFlags,
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
    const { text, failure } = await lintCharts(args, options, () => context.createRenderer({ allowNunjucks: false }));
    stdout.write(text);
    if (failure !== undefined) throw new Error(failure);
  },
};
