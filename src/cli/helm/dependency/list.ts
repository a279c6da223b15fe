import { normalize } from 'node:path';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { unsignedFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { listDependencies } from './list-dependencies.ts';

/** `helm dependency list` (pkg/cmd/dependency.go) */
export const dependencyListCommand: Command<HelmContext> = {
  use: 'list CHART',
  // prettier-ignore
  long: `
List all of the dependencies declared in a chart.

This can take chart archives and chart directories as input. It will not alter
the contents of a chart.

This will produce an error if the chart cannot be loaded.
`,
  checkArguments: argumentCount('at most', 1),
  flags: () => [unsignedFlag('max-col-width', 'maximum column width for output table', { initial: 80 })],
  async run({ args: [path = '.'], flags, context: { stdout, log } }) {
    await listDependencies(normalize(path), flags.integer('max-col-width') || Infinity, {
      print: (text) => stdout.write(text),
      notice: log.notice,
    });
  },
};
