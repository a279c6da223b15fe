import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command, CommandEntry } from '../../cobra/command.ts';
import { loadChart } from '../../load-chart.ts';
import { switchFlag, textFlag } from '../../pflag/flag.ts';
import { showChart, showValuesBy, type ShowTopic } from '../../show/show-chart.ts';
import type { HelmContext } from '../context.ts';
import { findHelmChart } from '../download/find-chart.ts';
import { chartPathFlags, chartPathOfFlags } from '../flags/chart-path-flags.ts';

const devel = "use development versions, too. Equivalent to version '>0.0.0-0'. If --version is set, this is ignored";

/** `helm show` (pkg/cmd/show.go) */
export const showCommand: Command<HelmContext> = {
  use: 'show',
  // prettier-ignore
  long: `
This command consists of multiple subcommands to display information about a chart
`,
  checkArguments: argumentCount('exactly', 0),
  subcommands: [
    topicEntry(
      'all',
      'show all information of the chart',
      `
This command inspects a chart (directory, file, or URL) and displays all its content
(values.yaml, Chart.yaml, README)
`,
    ),
    topicEntry(
      'readme',
      "show the chart's README",
      `
This command inspects a chart (directory, file, or URL) and displays the contents
of the README file
`,
    ),
    topicEntry(
      'values',
      "show the chart's values",
      `
This command inspects a chart (directory, file, or URL) and displays the contents
of the values.yaml file
`,
    ),
    topicEntry(
      'chart',
      "show the chart's definition",
      `
This command inspects a chart (directory, file, or URL) and displays the contents
of the Chart.yaml file
`,
    ),
    topicEntry(
      'crds',
      "show the chart's CRDs",
      `
This command inspects a chart (directory, file, or URL) and displays the contents
of the CustomResourceDefinition files
`,
    ),
  ],
};

function topicEntry(topic: ShowTopic, short: string, long: string): CommandEntry<HelmContext> {
  const command: Command<HelmContext> = {
    use: `${topic} [CHART]`,
    long,
    checkArguments: argumentCount('exactly', 1),
    flags: (context) => [
      switchFlag('devel', devel),
      ...(topic === 'values' ? [textFlag('jsonpath', 'supply a JSONPath expression to filter the output')] : []),
      ...chartPathFlags(context),
    ],
    async run({ args: [name = ''], flags, context }) {
      const { stdout, stderr, log } = context;
      const onPulled = (lines: string) => stderr.write(lines);
      const located = await findHelmChart(name, chartPathOfFlags(flags), context, { onPulled });
      const chart = await loadChart(located, log.notice);
      const template = topic === 'values' ? flags.text('jsonpath') : '';
      stdout.write(template === '' ? showChart(chart, topic) : showValuesBy(template, chart));
    },
  };
  return { name: topic, short, load: () => Promise.resolve(command) };
}
