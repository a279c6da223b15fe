import { processDependencies } from '../../../chart/process-dependencies.ts';
import type { CommandAnswers } from '../../../protocol/commands/index.ts';
import { valueMapOfPlain } from '../../../release/plain-value.ts';
import { storedChart } from '../../../release/stored-chart.ts';
import type { Invocation } from '../../cobra/command.ts';
import { loadChart } from '../../load-chart.ts';
import type { HelmContext } from '../context.ts';
import type { ChartToDeploy } from './chart-to-deploy.ts';
import { outputFormat } from './output-format.ts';

type Answer = CommandAnswers['install_release'];

/**
 * Returns the answer with the chart that was sent to an agent, which returns only metadata, if the
 * output shows it. With `--reuse-values`, only the agent knows the values of the chart.
 */
export async function withGivenChart(
  answer: Answer,
  found: ChartToDeploy,
  { flags, context }: Pick<Invocation<HelmContext>, 'flags' | 'context'>,
): Promise<Answer> {
  const { release, omitted = [] } = answer;
  const isShown = context.agent !== undefined && outputFormat(flags) !== 'table';
  const hasOldDefaults = flags.isGiven('reuse-values');
  if (!isShown || hasOldDefaults || !('chart' in found) || omitted.includes('config')) return answer;
  const ignore = () => undefined; // the notices were logged when the chart was checked
  const chart = processDependencies(
    await loadChart(found.chart, ignore),
    valueMapOfPlain(release.config ?? {}),
    ignore,
  );
  const { metadata, ...rest } = storedChart(chart);
  return { ...answer, release: { ...release, chart: { ...rest, metadata: metadata && { ...metadata } } } };
}
