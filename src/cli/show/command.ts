import type { Command } from 'commander';
import { addChartOptions, type RepositoryFlags } from '../chart-options.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { refuseHelmFlags } from '../helm-flags.ts';
import { helmLog } from '../helm-log.ts';
import { loadChart } from '../load-chart.ts';
import { locateChart } from '../locate-chart.ts';
import { readPassword } from '../password-file.ts';
import { showChart, showValuesBy, showTopics, type ShowTopic } from './show-chart.ts';

const descriptions: Readonly<Record<ShowTopic, string>> = {
  all: 'Show everything',
  chart: 'Show Chart.yaml',
  crds: 'Show the CRDs',
  readme: 'Show the README',
  values: 'Show values.yaml',
};

/** Adds `show` and its commands, which print what `helm show` prints. */
export function addShow(program: Command, dependencies: ProgramDependencies): void {
  const show = program.command('show').description('Show information about a chart, as helm show does');
  show.addHelpText(
    'after',
    `
Examples:
  helm-agent show values ./web
  helm-agent show values ./web --jsonpath '{.image.tag}'
  helm-agent show readme podinfo --repo https://stefanprodan.github.io/podinfo`,
  );
  for (const topic of showTopics) {
    const command = show
      .command(topic)
      .description(descriptions[topic])
      .argument('<chart>', 'directory, archive, or URL of an archive; with --repo, the name of a chart');
    if (topic === 'values') command.option('--jsonpath <template>', 'print the values through a JSONPath template');
    addChartOptions(command);
    command.action(async (name: string, flags: RepositoryFlags & { jsonpath?: string }) => {
      const helm = helmLog((line) => dependencies.stderr.write(line));
      const located = await locateChart(name, flags, (path) => readPassword(dependencies, path), helm);
      const chart = await loadChart(located, helm.notice);
      dependencies.stdout.write(flags.jsonpath ? showValuesBy(flags.jsonpath, chart) : showChart(chart, topic));
    });
    refuseHelmFlags(command, 'offline');
  }
}
