import type { Command } from 'commander';
import { addChartOptions, type RepositoryFlags } from '../chart-options.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { refuseHelmFlags } from '../helm-flags.ts';
import { helmLog } from '../helm-log.ts';
import { loadChart } from '../load-chart.ts';
import { locateChart } from '../locate-chart.ts';
import { readSecret } from '../secret-file.ts';
import { showChart, showValuesBy, showTopics, type ShowTopic } from './show-chart.ts';

const descriptions: Readonly<Record<ShowTopic, string>> = {
  all: 'Show all of it',
  chart: 'Show its Chart.yaml',
  crds: 'Show its CRDs',
  readme: 'Show its README',
  values: 'Show its values.yaml',
};

/** Adds `show` and its commands: what `helm show` prints. */
export function addShow(program: Command, dependencies: ProgramDependencies): void {
  const show = program.command('show').description('Show what a chart says of itself, as helm show does');
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
      .argument('<chart>', 'a directory or an archive, or the URL of one; with --repo, the name of a chart');
    if (topic === 'values') command.option('--jsonpath <template>', 'print only what a JSONPath template asks for');
    addChartOptions(command);
    command.action(async (name: string, flags: RepositoryFlags & { jsonpath?: string }) => {
      const helm = helmLog((line) => dependencies.stderr.write(line));
      const located = await locateChart(name, flags, (path) => readSecret(dependencies, path), helm);
      const chart = await loadChart(located, helm.notice);
      dependencies.stdout.write(flags.jsonpath ? showValuesBy(flags.jsonpath, chart) : showChart(chart, topic));
    });
    refuseHelmFlags(command);
  }
}
