import type { Command } from 'commander';
import { refuseHelmFlags } from '../helm-flags.ts';
import { readLikePflag } from '../pflag-arguments.ts';
import { integer } from './integer.ts';
import { outputOption, textOf, type OutputFormat } from './output/format.ts';
import { releaseOf, shown } from './output/print.ts';
import { statusOutput } from './output/status.ts';
import type { CtlSession } from './session.ts';
import { addSubcommand, agentOption, namespaceOption } from './subcommand.ts';

interface StatusFlags {
  [flag: string]: unknown;
  namespace?: string;
  revision?: number;
  output: OutputFormat;
}

/** Adds `ctl status`. */
export function addStatus(ctl: Command, session: CtlSession): void {
  const { stdout, host } = session.dependencies;
  const examples = ['status podinfo --agent edge-1 -n demo', 'status podinfo --agent edge-1 --revision 2 -o yaml'];
  const command = addSubcommand(ctl, 'status', 'Show a release, and whether its objects are ready', examples)
    .argument('<name>', 'name of the release')
    .addOption(agentOption())
    .addOption(namespaceOption())
    .option('--revision <number>', 'the revision (default: the newest)', integer)
    .addOption(outputOption())
    .action(async (releaseName: string, flags: StatusFlags) => {
      const { namespace, revision: version, output } = flags;
      await session.perform(
        flags,
        'release_status',
        { releaseName, namespace, version },
        {
          quiet: true,
          text(answer) {
            const release = releaseOf(answer, output === 'table' ? [] : ['config', 'manifest', 'hooks']);
            return shown(textOf(output, statusOutput(release, answer.resources, host)), stdout);
          },
        },
      );
    });
  readLikePflag(command);
  refuseHelmFlags(command, 'ctl');
}
