import { loadChart, locateChart } from '../../../downloader/index.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import { type Command, type CommandEntry, loadedEntry } from '../../cobra/command.ts';
import { textFlag } from '../../pflag/flag.ts';
import { showChart, type ShowTopic, showValuesBy } from '../../show/show-chart.ts';
import type { HelmContext } from '../context.ts';
import { chartPathFlags, develFlag } from '../flags/chart-path-flags.ts';
import { chartPathWithPassword, passwordFileFlag } from './own-flags.ts';

/** `helm show` (pkg/cmd/show.go) */
export const showCommand: Command<HelmContext> = {
  use: 'show',
  long: 'Show information about a chart: a folder, an archive, or a chart to download.',
  checkArguments: argumentCount('exactly', 0),
  subcommands: [
    topicEntry('all', 'show everything'),
    topicEntry('readme', 'show the README'),
    topicEntry('values', 'show values.yaml', ["./web --jsonpath '{.image.tag}'"]),
    topicEntry('chart', 'show Chart.yaml'),
    topicEntry('crds', 'show the CRDs'),
  ],
};

function topicEntry(topic: ShowTopic, short: string, examples: readonly string[] = []): CommandEntry<HelmContext> {
  const command: Command<HelmContext> = {
    use: `${topic} [CHART]`,
    examples: ['./web', 'podinfo --repo https://stefanprodan.github.io/podinfo', ...examples],
    checkArguments: argumentCount('exactly', 1),
    flags: (context) => [
      develFlag,
      ...(topic === 'values' ? [textFlag('jsonpath', 'print the values through this JSONPath template')] : []),
      ...chartPathFlags(context),
      passwordFileFlag(context),
    ],
    async run({ args: [name = ''], flags, context }) {
      const { stdout, stderr, log } = context;
      const onPulled = (lines: string) => stderr.write(lines);
      const located = await locateChart(name, await chartPathWithPassword(flags, context), context, onPulled);
      const chart = await loadChart(located, log.notice);
      const template = topic === 'values' ? flags.text('jsonpath') : '';
      stdout.write(template === '' ? showChart(chart, topic) : showValuesBy(template, chart));
    },
  };
  return loadedEntry(topic, short, command);
}
