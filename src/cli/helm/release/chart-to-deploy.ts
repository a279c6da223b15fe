import {
  missingDependencies,
  requireDependencies,
  requireInstallableType,
} from '../../../chart/metadata/installable.ts';
import { processDependencies } from '../../../chart/process-dependencies.ts';
import {
  type ChartPathOptions,
  type ChartReference,
  loadChartFiles,
  type LoadedChart,
  locateChart,
  type LocatedChart,
  type ReferredChart,
  referredChart,
  requireKnownFormat,
  updateDependencies,
} from '../../../downloader/index.ts';
import type { CommandAnswers } from '../../../protocol/commands/index.ts';
import { valueMapOfPlain } from '../../../release/plain-value.ts';
import { storedChart } from '../../../release/stored-chart.ts';
import { withoutUserinfo } from '../../../source/http/http-url.ts';
import type { Invocation } from '../../cobra/command.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import type { HelmContext } from '../context.ts';
import { chartPathOfFlags, credentialsFromFlag } from '../flags/chart-path-flags.ts';
import { connectionOfFlags } from '../flags/connection-flags.ts';
import { outputFormat } from '../flags/output-flag.ts';

type Answer = CommandAnswers['install_release'];

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
  return { fields: { chartName }, chart: await locateChart(name, options, context, onPulled) };
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
  if (!passCredentials || access.isOfThisMachine) return undefined;
  return { ...reference, repoUserName: access.username, repoPassword: access.password };
}

/**
 * Loads a chart, and checks it in the order of Helm before it is deployed. Returns undefined for a
 * chart that an agent downloads and checks. Throws an error with Helm's text.
 */
export async function loadToDeploy(
  found: ChartToDeploy,
  { flags, context }: Pick<Invocation<HelmContext>, 'flags' | 'context'>,
  { isInstall }: { isInstall: boolean },
): Promise<LoadedChart | undefined> {
  if (!('chart' in found)) return undefined;
  const { log } = context;
  await requireKnownFormat(found.chart);
  const loaded = await loadChartFiles(found.chart, log.notice);
  const { chart } = loaded;
  const warn = () => {
    if (chart.metadata.deprecated) log.deprecated();
  };
  if (isInstall) {
    requireInstallableType(chart);
    warn();
  }
  const isUpdated = flags.isOn('dependency-update') && (await updatesDependencies(loaded, flags, context));
  if (!isUpdated) requireDependencies(chart);
  if (!isInstall) warn();
  return isUpdated ? await loadChartFiles(found.chart, () => undefined) : loaded;
}

/**
 * Downloads the dependencies of a chart into its folder if some are missing, as Helm does. Returns
 * whether it did.
 */
async function updatesDependencies(
  { located, chart }: LoadedChart,
  flags: FlagValues,
  context: HelmContext,
): Promise<boolean> {
  if (!('folder' in located) || missingDependencies(chart) === undefined) return false;
  await updateDependencies(located.folder, { ...connectionOfFlags(flags), skipRefresh: false }, context);
  return true;
}

/**
 * Returns the answer with the chart that was sent to an agent, which returns only metadata, if the
 * output shows it. With `--reuse-values`, only the agent knows the values of the chart.
 */
export function withGivenChart(
  answer: Answer,
  loaded: LoadedChart | undefined,
  { flags, context }: Pick<Invocation<HelmContext>, 'flags' | 'context'>,
): Answer {
  const { release, omitted = [] } = answer;
  const isShown = context.agent !== undefined && outputFormat(flags) !== 'table';
  const hasOldDefaults = flags.isGiven('reuse-values');
  if (!isShown || hasOldDefaults || loaded === undefined || omitted.includes('config')) return answer;
  const ignore = () => undefined; // the notices were logged when the chart was loaded
  const chart = processDependencies(loaded.chart, valueMapOfPlain(release.config ?? {}), ignore);
  const { metadata, ...rest } = storedChart(chart);
  return { ...answer, release: { ...release, chart: { ...rest, metadata: metadata && { ...metadata } } } };
}
