import type { CommandAnswers } from '../../../protocol/commands/index.ts';
import type { Invocation } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';
import { cancellable } from './cancellation.ts';
import { checkChart, findChart } from './chart-to-deploy.ts';
import { deployParameters } from './deploy-parameters.ts';
import { failedInstall } from './failure-log.ts';
import { withGivenChart } from './given-chart.ts';
import { withReleases } from './with-releases.ts';

interface InstallOptions {
  dryRun: 'none' | 'client' | 'server';
  serverSide: boolean;
  replace: boolean;
}

/** Installs a release in the order of Helm, so that of several errors the same one is reported. */
export async function runInstall(
  { releaseName, chartName }: { releaseName: string; chartName: string },
  options: InstallOptions,
  { args, flags, context }: Invocation<HelmContext>,
): Promise<CommandAnswers['install_release']> {
  const found = await findChart(chartName, flags, context);
  const parameters = await deployParameters(flags, context);
  await checkChart(found, { flags, context }, { isInstall: true });
  const payload = { ...parameters, ...options, releaseName, ...found.fields };
  const answer = await withReleases(context, (releases) =>
    cancellable(args[0] ?? '', context, (signal) => releases.perform('install_release', payload, { ...found, signal })),
  ).catch((error: unknown) => {
    throw failedInstall(error, context);
  });
  return await withGivenChart(answer, found, { flags, context });
}
