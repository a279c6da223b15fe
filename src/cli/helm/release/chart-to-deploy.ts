import { requireDependencies, requireInstallableType } from '../../../chart/metadata/installable.ts';
import type { Chart } from '../../../chart/chart.ts';
import type { Invocation } from '../../cobra/command.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import { loadChart } from '../../load-chart.ts';
import type { LocatedChart } from '../../locate-chart.ts';
import type { HelmContext } from '../context.ts';
import { findHelmChart } from '../download/find-chart.ts';
import { chartPathOfFlags, credentialsFromFlag, type ChartPathOptions } from '../flags/chart-path-flags.ts';
import { connectionOfFlags } from '../flags/connection-flags.ts';
import { referredChart, withoutUserinfo, type ChartReference, type ReferredChart } from './chart-reference.ts';

/** A chart of this machine or downloaded to it, or one that an agent downloads. */
export type ChartToDeploy = { fields: { chartName: string }; chart: LocatedChart } | { fields: ChartReference };

/**
 * Finds the chart that a user names. Lines about a chart that was pulled go to stdout, as in Helm.
 * An agent downloads charts itself, except those that are verified with this user's keys, and those
 * that need this user's credentials, which it gets only with --pass-credentials.
 */
export async function findChart(name: string, flags: FlagValues, context: HelmContext): Promise<ChartToDeploy> {
  const options = chartPathOfFlags(flags);
  const isAgents = context.agent !== undefined && !options.verify;
  const referred = isAgents ? await referredChart(name, options, context) : undefined;
  const fields = agentFields(referred, options, flags.text(credentialsFromFlag.name));
  if (fields !== undefined) return { fields };
  const onPulled = (lines: string) => context.stdout.write(lines);
  const { url: chartName } = withoutUserinfo(name); // it only names the chart
  return { fields: { chartName }, chart: await findHelmChart(name, options, context, { onPulled }) };
}

/** Returns the fields for a chart that the agent downloads; undefined if this machine does. */
function agentFields(
  referred: ReferredChart | undefined,
  { username, password, passCredentials }: ChartPathOptions,
  secret: string,
): ChartReference | undefined {
  if (secret !== '') {
    if (referred === undefined) {
      throw new Error('--credentials-from is only for charts that an agent downloads, without --verify');
    }
    if (username !== '' || password !== '') {
      throw new Error('give either --credentials-from, or --username and --password');
    }
    return { ...referred.reference, credentialsFrom: { secret } };
  }
  if (referred?.access === undefined) return referred?.reference;
  const { access, reference } = referred;
  if (!passCredentials || access.hasConnectionOptions) return undefined;
  return { ...reference, repoUserName: access.username, repoPassword: access.password };
}

/**
 * Checks a chart before it is deployed, in Helm's order. The agent checks those that it downloads.
 * Throws an error with Helm's text.
 */
export async function checkChart(
  found: ChartToDeploy,
  { flags, context }: Pick<Invocation<HelmContext>, 'flags' | 'context'>,
  { isInstall }: { isInstall: boolean },
): Promise<void> {
  if (!('chart' in found)) return;
  const { log } = context;
  const chart = await loadChart(found.chart, log.notice);
  const warn = () => {
    if (chart.metadata.deprecated) log.deprecated();
  };
  if (isInstall) {
    requireInstallableType(chart);
    warn();
  }
  if (!flags.isOn('dependency-update')) requireDependencies(chart);
  else await withDependencies(chart, found.chart, flags, context);
  if (!isInstall) warn();
}

/** Downloads the dependencies of a chart into its folder if some are missing, as Helm does. */
async function withDependencies(chart: Chart, located: LocatedChart, flags: FlagValues, context: HelmContext) {
  if (!('folder' in located) || !hasMissingDependencies(chart)) {
    requireDependencies(chart);
    return;
  }
  const { updateDependencies } = await import('../dependency/update-dependencies.ts');
  await updateDependencies(located.folder, { ...connectionOfFlags(flags), skipRefresh: false }, context);
}

function hasMissingDependencies({ dependencies, metadata }: Chart): boolean {
  const present = new Set(dependencies.map((dependency) => dependency.metadata.name));
  return (metadata.dependencies ?? []).some(({ name }) => !present.has(name));
}
