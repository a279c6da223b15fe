import type { Command } from 'commander';
import type { CommandAnswers } from '../../protocol/commands/index.ts';
import { refuseHelmFlags } from '../helm-flags.ts';
import { readLikePflag } from '../pflag-arguments.ts';
import { integer } from './integer.ts';
import { textOf, type OutputFormat } from './output/format.ts';
import { outputOption } from './output/output-option.ts';
import { releaseOf, shown } from './output/print.ts';
import { statusOutput } from './output/status.ts';
import type { CtlSession } from './session.ts';
import { addSubcommand, agentOption, deliverWithinOption, namespaceOption } from './subcommand.ts';

interface StatusFlags {
  [flag: string]: unknown;
  namespace?: string;
  revision?: number;
  watch?: boolean;
  timeout?: string;
  output: OutputFormat;
}

/** Adds `ctl status`. */
export function addStatus(ctl: Command, session: CtlSession): void {
  const { stdout, host } = session.dependencies;
  const examples = [
    'status podinfo --agent edge-1 -n demo',
    'status podinfo --agent edge-1 --revision 2 -o yaml',
    'status podinfo --agent edge-1 --watch',
  ];
  const command = addSubcommand(ctl, 'status', 'Show a release, and whether its objects are ready', examples)
    .argument('<name>', 'name of the release')
    .addOption(agentOption())
    .addOption(deliverWithinOption())
    .addOption(namespaceOption())
    .option('--revision <number>', 'the revision (default: the newest)', integer)
    .addOption(outputOption())
    .option('--watch', 'show each change until Ctrl-C; with -o json, each event as a line of JSON')
    .option('--timeout <duration>', 'with --watch: the time after which it ends (default: 24h)')
    .action(async (releaseName: string, flags: StatusFlags) => {
      const { namespace, revision: version, output, watch = false, timeout } = flags;
      if (watch && output === 'yaml') throw new Error('--watch shows a table or, with -o json, lines of JSON');
      if (!watch && timeout !== undefined) throw new Error('--timeout is only for --watch');
      const text = (answer: CommandAnswers['release_status']) => {
        const release = releaseOf(answer, output === 'table' ? [] : ['config', 'manifest', 'hooks']);
        return shown(textOf(output, statusOutput(release, answer.resources, host)), stdout);
      };
      const payload = { releaseName, namespace, version };
      if (!watch) await session.perform(flags, 'release_status', payload, { quiet: true, text });
      else {
        const options = { json: output === 'json', isCancelledByInterrupt: true, text };
        await session.perform(flags, 'watch_release', { ...payload, timeout }, options);
      }
    });
  readLikePflag(command);
  refuseHelmFlags(command, 'ctl');
}
