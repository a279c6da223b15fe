import { normalize } from 'node:path';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { unsignedFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { listDependencies } from './list-dependencies.ts';

/** `helm dependency list` (pkg/cmd/dependency.go) */
export const dependencyListCommand: Command<HelmContext> = {
  use: 'list CHART',
  long: 'List the dependencies of a chart, and whether charts/ contains them.',
  examples: ['./web'],
  checkArguments: argumentCount('at most', 1),
  flags: () => [unsignedFlag('max-col-width', 'largest width of a column; 0 for any', { initial: 80 })],
  async run({ args: [path = '.'], flags, context: { stdout, log } }) {
    await listDependencies(normalize(path), flags.integer('max-col-width') || Infinity, {
      print: (text) => stdout.write(text),
      notice: log.notice,
    });
  },
};
