import { quote } from '../../../go/strconv.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command, Invocation } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';
import { exclusiveForceFlags, serverSideMode } from '../flags/apply-flags.ts';
import { dryRunMode } from '../flags/dry-run-flag.ts';
import { upgradeFlags } from '../flags/upgrade-flags.ts';
import { cancellable } from './cancellation.ts';
import { checkChart, findChart } from './chart-to-deploy.ts';
import { deployParameters } from './deploy-parameters.ts';
import { printDeployed } from './deployed-output.ts';
import { withPrefix } from './failure-text.ts';
import { historyLimitOf } from '../../ctl/helm-values.ts';
import { newestStatus } from './newest-status.ts';
import { outputFormat } from './output-format.ts';
import { runInstall } from './run-install.ts';
import { logFailedUpgrade } from './failure-log.ts';
import { withReleases, withSharedReleases } from './with-releases.ts';

// prettier-ignore
const long = `
This command upgrades a release to a new version of a chart.

The upgrade arguments must be a release and chart. The chart
argument can be either: a chart reference('example/mariadb'), a path to a chart directory,
a packaged chart, or a fully qualified URL. For chart references, the latest
version will be specified unless the '--version' flag is set.

To override values in a chart, use either the '--values' flag and pass in a file
or use the '--set' flag and pass configuration from the command line, to force string
values, use '--set-string'. You can use '--set-file' to set individual
values from a file when the value itself is too long for the command line
or is dynamically generated. You can also use '--set-json' to set json values
(scalars/objects/arrays) from the command line. Additionally, you can use '--set-json' and passing json object as a string.

You can specify the '--values'/'-f' flag multiple times. The priority will be given to the
last (right-most) file specified. For example, if both myvalues.yaml and override.yaml
contained a key called 'Test', the value set in override.yaml would take precedence:

    $ helm upgrade -f myvalues.yaml -f override.yaml redis ./redis

You can specify the '--set' flag multiple times. The priority will be given to the
last (right-most) set specified. For example, if both 'bar' and 'newbar' values are
set for a key called 'foo', the 'newbar' value would take precedence:

    $ helm upgrade --set foo=bar --set foo=newbar redis ./redis

You can update the values for an existing release with this command as well via the
'--reuse-values' flag. The 'RELEASE' and 'CHART' arguments should be set to the original
parameters, and existing values will be merged with any values set via '--values'/'-f'
or '--set' flags. Priority is given to new values.

    $ helm upgrade --reuse-values --set foo=bar --set foo=newbar redis ./redis

The --dry-run flag will output all generated chart manifests, including Secrets
which can contain sensitive values. To hide Kubernetes Secrets use the
--hide-secret flag. Please carefully consider how and when these flags are used.
`;

/** The command `helm upgrade` (pkg/cmd/upgrade.go). */
export const upgrade: Command<HelmContext> = {
  use: 'upgrade [RELEASE] [CHART]',
  long,
  checkArguments: argumentCount('exactly', 2),
  exclusiveFlags: exclusiveForceFlags,
  flags: upgradeFlags,
  async run(invocation) {
    const { flags, context } = invocation;
    const dryRun = dryRunMode(flags, context);
    if (!flags.isOn('install')) {
      await printUpgrade(dryRun, invocation);
      return;
    }
    await withSharedReleases(context, (shared) => upgradeOrInstall(dryRun, { ...invocation, context: shared }));
  },
};

type DryRun = 'none' | 'client' | 'server';

async function upgradeOrInstall(dryRun: DryRun, invocation: Invocation<HelmContext>): Promise<void> {
  const { args, flags, context } = invocation;
  const [releaseName = '', chartName = ''] = args;
  const before = await newestStatus(releaseName, context);
  if (before !== undefined && before !== 'uninstalled') {
    await printUpgrade(dryRun, invocation);
    return;
  }
  if (outputFormat(flags) === 'table') {
    context.stdout.write(`Release ${quote(releaseName)} does not exist. Installing it now.\n`);
  }
  const serverSide = flags.text('server-side') !== 'false';
  const options = { dryRun, serverSide, replace: before === 'uninstalled' };
  printDeployed(await runInstall({ releaseName, chartName }, options, invocation), flags, context);
}

async function printUpgrade(dryRun: DryRun, invocation: Invocation<HelmContext>): Promise<void> {
  const { args, flags, context } = invocation;
  const [releaseName = ''] = args;
  const answer = await runUpgrade(dryRun, invocation);
  if (outputFormat(flags) === 'table') {
    context.stdout.write(`Release ${quote(releaseName)} has been upgraded. Happy Helming!\n`);
  }
  printDeployed(answer, flags, context);
}

/** Upgrades a release in the order of Helm, so that of several errors the same one is reported. */
async function runUpgrade(dryRun: DryRun, { args, flags, context }: Invocation<HelmContext>) {
  const [releaseName = '', chartName = ''] = args;
  const found = await findChart(chartName, flags, context);
  const parameters = await deployParameters(flags, context);
  await checkChart(found, { flags, context }, { isInstall: false });
  return withPrefix('UPGRADE FAILED', () => {
    const payload = {
      ...parameters,
      releaseName,
      ...found.fields,
      dryRun,
      serverSide: serverSideMode(flags),
      resetValues: flags.isOn('reset-values'),
      reuseValues: flags.isOn('reuse-values'),
      resetThenReuseValues: flags.isOn('reset-then-reuse-values'),
      historyLimit: historyLimitOf(flags.integer('history-max')),
      cleanupOnFail: flags.isOn('cleanup-on-fail'),
    };
    return withReleases(context, (releases) =>
      cancellable(releaseName, context, (signal) => releases.perform('upgrade_release', payload, { ...found, signal })),
    ).catch((error: unknown) => {
      logFailedUpgrade(error, releaseName, context);
      throw error;
    });
  });
}
