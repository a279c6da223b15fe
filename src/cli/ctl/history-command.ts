import type { Command } from 'commander';
import { refuseHelmFlags } from '../helm-flags.ts';
import { readLikePflag } from '../pflag-arguments.ts';
import { integer } from './integer.ts';
import { textOf, type OutputFormat } from './output/format.ts';
import { outputOption } from './output/output-option.ts';
import { historyOutput } from './output/history.ts';
import { releaseOf, shown } from './output/print.ts';
import type { CtlSession } from './session.ts';
import { addSubcommand, agentOption, deliverWithinOption, namespaceOption } from './subcommand.ts';

interface HistoryFlags {
  [flag: string]: unknown;
  namespace?: string;
  max: number;
  output: OutputFormat;
}

/** Adds `ctl history`. */
export function addHistory(ctl: Command, session: CtlSession): void {
  const { stdout, host } = session.dependencies;
  const examples = ['history podinfo --agent edge-1 -n demo', 'history podinfo --agent edge-1 -n demo -o json'];
  const command = addSubcommand(ctl, 'history', 'List the revisions of a release', examples)
    .alias('hist')
    .argument('<name>', 'name of the release')
    .addOption(agentOption())
    .addOption(deliverWithinOption())
    .addOption(namespaceOption())
    .option('--max <number>', 'largest number of revisions, the newest ones', integer, 256)
    .addOption(outputOption())
    .action(async (releaseName: string, flags: HistoryFlags) => {
      const { namespace, max, output } = flags;
      await session.perform(
        flags,
        'release_history',
        { releaseName, namespace, max },
        {
          quiet: true,
          text({ releases }) {
            const revisions = releases.map((release) => releaseOf({ release }));
            return shown(textOf(output, historyOutput(revisions, host)), stdout);
          },
        },
      );
    });
  readLikePflag(command);
  refuseHelmFlags(command, 'ctl');
}
