import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { switchFlag, textFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { chartPathFlags, chartPathOfFlags } from '../flags/chart-path-flags.ts';

/** `helm pull` (pkg/cmd/pull.go) */
export const pullCommand: Command<HelmContext> = {
  use: 'pull [chart URL | repo/chartname] [...]',
  // prettier-ignore
  long: `
Retrieve a package from a package repository, and download it locally.

This is useful for fetching packages to inspect, modify, or repackage. It can
also be used to perform cryptographic verification of a chart without installing
the chart.

There are options for unpacking the chart after download. This will create a
directory for the chart and uncompress into that directory.

If the --verify flag is specified, the requested chart MUST have a provenance
file, and MUST pass the verification process. Failure in any part of this will
result in an error, and the chart will not be saved locally.
`,
  checkArguments: argumentCount('at least', 1),
  flags: (context) => [
    switchFlag(
      'devel',
      "use development versions, too. Equivalent to version '>0.0.0-0'. If --version is set, this is ignored.",
    ),
    switchFlag('untar', 'if set to true, will untar the chart after downloading it'),
    switchFlag('prov', "fetch the provenance file, but don't perform verification"),
    textFlag(
      'untardir',
      'if untar is specified, this flag specifies the name of the directory into which the chart is expanded',
      { initial: '.' },
    ),
    textFlag(
      'destination',
      'location to write the chart. If this and untardir are specified, untardir is appended to this',
      { shorthand: 'd', initial: '.' },
    ),
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
