import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command, Invocation } from '../../cobra/command.ts';
import { nameAndChart } from '../../ctl/name-and-chart.ts';
import type { HelmContext } from '../context.ts';
import { exclusiveForceFlags } from '../flags/apply-flags.ts';
import { credentialsFromFlag } from '../flags/chart-path-flags.ts';
import { dryRunFlag, dryRunMode } from '../flags/dry-run-flag.ts';
import { hideSecretFlag, installFlags } from '../flags/install-flags.ts';
import { outputFlag } from '../flags/output-flag.ts';
import { postRendererFlags } from '../flags/post-renderer-flags.ts';
import { withPrefix } from './failure-text.ts';
import { printDeployed } from './deployed-output.ts';
import { runInstall } from './run-install.ts';

/** The command `helm install` (pkg/cmd/install.go). */
export const install: Command<HelmContext> = {
  use: 'install [NAME] [CHART]',
  long: `Install a chart as a new release.

The chart is a folder, an archive, a URL, an oci:// address, REPOSITORY/NAME of a
repository that "repo add" has added, or with --repo the name of a chart. --set and
similar flags override the files of --values; of several, the last one wins.`,
  examples: [
    'web ./web -f values.yaml --set replicas=2',
    'podinfo podinfo --repo https://stefanprodan.github.io/podinfo --wait',
    '--generate-name oci://ghcr.io/stefanprodan/charts/podinfo',
    'web ./web --dry-run=client',
  ],
  checkArguments: argumentCount('at least', 1),
  exclusiveFlags: exclusiveForceFlags,
  flags: (context) => [
    ...installFlags(context),
    credentialsFromFlag,
    hideSecretFlag(),
    dryRunFlag(),
    outputFlag,
    ...postRendererFlags(),
  ],
  async run(invocation) {
    const { flags, context } = invocation;
    const dryRun = dryRunMode(flags, context);
    const answer = await withPrefix('INSTALLATION FAILED', () => {
      const names = namesOf(invocation);
      return runInstall(
        names,
        { dryRun, serverSide: flags.isOn('server-side'), replace: flags.isOn('replace') },
        invocation,
      );
    });
    printDeployed(answer, flags, context);
  },
};

function namesOf({ args, flags, context }: Invocation<HelmContext>) {
  if (args.length > 2) {
    throw new Error(`expected at most two arguments, unexpected arguments: ${args.slice(2).join(', ')}`);
  }
  const name = { generateName: flags.isOn('generate-name'), nameTemplate: flags.text('name-template') };
  return nameAndChart(args, name, context);
}
