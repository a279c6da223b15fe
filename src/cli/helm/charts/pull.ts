import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { switchFlag, textFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { chartPathFlags, chartPathOfFlags, develFlag } from '../flags/chart-path-flags.ts';

/** `helm pull` (pkg/cmd/pull.go) */
export const pullCommand: Command<HelmContext> = {
  use: 'pull [chart URL | repo/chartname] [...]',
  long: `Download charts as archives, or with --untar as folders.

With --verify, a chart must have a valid signature.`,
  examples: [
    'podinfo --repo https://stefanprodan.github.io/podinfo',
    'oci://ghcr.io/stefanprodan/charts/podinfo --version 6.9.0 --untar',
  ],
  checkArguments: argumentCount('at least', 1),
  flags: (context) => [
    develFlag,
    switchFlag('untar', 'unpack the archive'),
    switchFlag('prov', 'also download the signature, and do not verify it'),
    textFlag('untardir', 'folder for --untar, below --destination', { initial: '.' }),
    textFlag('destination', 'folder for the archive', { shorthand: 'd', initial: '.' }),
    ...chartPathFlags(context),
  ],
  async run({ args, flags, context }) {
    const options = {
      ...chartPathOfFlags(flags),
      destination: flags.text('destination'),
      untar: flags.isOn('untar') ? flags.text('untardir') : undefined,
      withProvenance: flags.isOn('prov'),
    };
    const { pullChart } = await import('./pull-chart.ts');
    for (const name of args) await pullChart(name, options, context);
  },
};
