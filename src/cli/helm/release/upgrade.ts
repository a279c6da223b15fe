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
import { withGivenChart } from './given-chart.ts';
import { newestStatus } from './newest-status.ts';
import { outputFormat } from './output-format.ts';
import { runInstall } from './run-install.ts';
import { logFailedUpgrade } from './failure-log.ts';
import { withReleases, withSharedReleases } from './with-releases.ts';

/** The command `helm upgrade` (pkg/cmd/upgrade.go). */
export const upgrade: Command<HelmContext> = {
  use: 'upgrade [RELEASE] [CHART]',
  long: `Upgrade a release to a chart and values.

Without a flag such as --reuse-values, the values of the last revision are kept if
no values are given, and forgotten otherwise.`,
  examples: [
    'web ./web --set replicas=3',
    'web ./web --install --wait --rollback-on-failure',
    'web ./web --reuse-values --set image.tag=2',
  ],
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
  const answer = await withPrefix('UPGRADE FAILED', () => {
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
  return await withGivenChart(answer, found, { flags, context });
}
