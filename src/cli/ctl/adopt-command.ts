import type { Command } from 'commander';
import type { CommandAnswers } from '../../protocol/commands/index.ts';
import { readLikePflag } from '../pflag-arguments.ts';
import { oneLine } from '../text.ts';
import { storageOption, storageParameter } from './apply-options.ts';
import { historyLimitOf } from './helm-values.ts';
import { integer } from './integer.ts';
import { shown } from './output/print.ts';
import type { CtlSession } from './session.ts';
import {
  addSubcommand,
  agentOption,
  deliverWithinOption,
  namespaceOption,
  tillerNamespaceOption,
} from './subcommand.ts';

interface AdoptFlags {
  [flag: string]: unknown;
  namespace?: string;
  tillerNamespace?: string;
  timeout?: string;
  historyMax?: number;
  storage?: string;
  dryRun?: boolean;
}

/** Adds `ctl adopt`, which helm does not have. */
export function addAdopt(ctl: Command, session: CtlSession): void {
  const examples = ['adopt web --agent edge-1 -n shop --dry-run', 'adopt web --agent edge-1 -n shop'];
  const command = addSubcommand(ctl, 'adopt', 'Take over a release of Helm 2', examples)
    .argument('<name>', 'name of the release')
    .addOption(agentOption())
    .addOption(deliverWithinOption())
    .addOption(namespaceOption())
    .addOption(tillerNamespaceOption())
    .option('--timeout <duration>', 'time limit (default: 5m)')
    .option(
      '--history-max <number>',
      'number of revisions to take over, the newest ones; 0 for all (default: 10)',
      integer,
    )
    .addOption(storageOption())
    .option('--dry-run', 'only show which revisions would be taken over')
    .action(async (releaseName: string, flags: AdoptFlags) => {
      const { namespace, tillerNamespace, timeout, historyMax, storage, dryRun } = flags;
      const payload = {
        ...{ releaseName, namespace, tillerNamespace, timeout, dryRun },
        historyLimit: historyLimitOf(historyMax),
        ...storageParameter(storage),
      };
      const text = (answer: CommandAnswers['adopt_release']) =>
        shown(adoptText(releaseName, answer, dryRun === true), session.dependencies.stdout);
      await session.perform(flags, 'adopt_release', payload, { text });
    });
  readLikePflag(command);
}

function adoptText(name: string, { releases }: CommandAnswers['adopt_release'], isDryRun: boolean): string {
  if (releases.length === 0) return `The revisions of ${name} have been taken over before.\n`;
  const lines = releases.map(({ version, info, chart }) => {
    const { name: chartName = '', version: chartVersion = '' } = chart?.metadata ?? {};
    return `  ${oneLine(`${version} ${info.status} ${chartName}-${chartVersion}`)}`;
  });
  const head = isDryRun ? `Would take over ${name} of Helm 2` : `Took over ${name} of Helm 2`;
  const tail = isDryRun
    ? []
    : [
        'Its objects are unchanged; the next upgrade adds the labels of Helm 3 to them.',
        'Do not change it with helm 2 any more.',
      ];
  return [`${head}, with the revisions:`, ...lines, ...tail, ''].join('\n');
}
