import type { Command } from 'commander';
import type { CommandParameters } from '../../protocol/commands/index.ts';
import { refuseHelmFlags } from '../helm-flags.ts';
import { readLikePflag } from '../pflag-arguments.ts';
import { integer } from './integer.ts';
import { textOf, type OutputFormat } from './output/format.ts';
import { outputOption } from './output/output-option.ts';
import { listOutput } from './output/list.ts';
import { releaseOf, shown } from './output/print.ts';
import type { CtlSession } from './session.ts';
import { addSubcommand, agentOption, deliverWithinOption, tillerNamespaceOption } from './subcommand.ts';
import { selectedStatuses, statusFlagNames, type StatusFlag } from '../status-flags.ts';

type Parameters = CommandParameters['list_releases'];

interface ListFlags extends Partial<Record<StatusFlag, boolean>> {
  [flag: string]: unknown;
  output: OutputFormat;
  namespace?: string;
  allNamespaces?: boolean;
  filter?: string;
  selector?: string;
  date?: boolean;
  reverse?: boolean;
  max: number;
  offset: number;
  short?: boolean;
  headers: boolean;
  timeFormat?: string;
  helm2?: boolean;
  tillerNamespace?: string;
}

/** Adds `ctl list`. */
export function addList(ctl: Command, session: CtlSession): void {
  const { stdout, host } = session.dependencies;
  const examples = ['list --agent edge-1', 'list --agent edge-1 -n demo --failed -o json'];
  const command = addSubcommand(ctl, 'list', 'List the releases of an agent', examples)
    .alias('ls')
    .addOption(agentOption())
    .addOption(deliverWithinOption())
    .option('-n, --namespace <namespace>', 'list only the releases of this namespace (default: of all)')
    .option('-A, --all-namespaces', 'list the releases of all namespaces')
    .option('-f, --filter <pattern>', 'list only names that match a regular expression')
    .option('-l, --selector <selector>', 'list only releases whose labels match')
    .option('-d, --date', 'sort by the time of deployment')
    .option('-r, --reverse', 'reverse the order')
    .option('-m, --max <number>', 'largest number of releases; 0 for all', integer, 256)
    .option('--offset <number>', 'number of releases to leave out at the start', integer, 0)
    .option('-q, --short', 'print only names')
    .option('--no-headers', 'do not print the first row of the table')
    .option('--time-format <layout>', "layout of times, as for Go's time.Format")
    .option('--helm2', 'list the releases of Helm 2, which ctl adopt takes over')
    .addOption(tillerNamespaceOption())
    .addOption(outputOption());
  for (const status of statusFlagNames) command.option(`--${status}`, `list ${status} releases`);
  command.action(async (flags: ListFlags) => {
    await session.perform(flags, 'list_releases', listParameters(flags), {
      quiet: true,
      text({ releases }) {
        const list = releases.map((release) => releaseOf({ release }));
        return shown(textOf(flags.output, listOutput(list, flags, host)), stdout);
      },
    });
  });
  readLikePflag(command);
  refuseHelmFlags(command, 'ctl');
}

function listParameters(flags: ListFlags): Parameters {
  const { namespace, allNamespaces = false, filter, selector, date, reverse, max, offset } = flags;
  return {
    namespace: allNamespaces ? undefined : namespace,
    filter,
    selector,
    statuses: selectedStatuses((flag) => flags[flag] === true),
    sort: date ? 'date' : 'name',
    reverse,
    max,
    offset,
    helm2: flags.helm2,
    tillerNamespace: flags.tillerNamespace,
  };
}
