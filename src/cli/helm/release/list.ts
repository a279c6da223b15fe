import type { CommandParameters } from '../../../protocol/commands/index.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { textOf } from '../../ctl/output/format.ts';
import { listOutput } from '../../ctl/output/list.ts';
import { releaseOf } from '../../ctl/output/print.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import { integerFlag, switchFlag, textFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { outputFlag } from '../flags/output-flag.ts';
import { outputFormat } from './output-format.ts';
import { withReleases } from './with-releases.ts';
import { selectedStatuses } from '../../status-flags.ts';

type Parameters = CommandParameters['list_releases'];

// prettier-ignore
const long = `
This command lists all of the releases for a specified namespace (uses current namespace context if namespace not specified).

By default, it lists all releases in any status. Individual status filters like '--deployed', '--failed',
'--pending', '--uninstalled', '--superseded', and '--uninstalling' can be used
to show only releases in specific states. Such flags can be combined:
'--deployed --failed'.

By default, items are sorted alphabetically. Use the '-d' flag to sort by
release date.

If the --filter flag is provided, it will be treated as a filter. Filters are
regular expressions (Perl compatible) that are applied to the list of releases.
Only items that match the filter will be returned.

    $ helm list --filter 'ara[a-z]+'
    NAME                UPDATED                                  CHART
    maudlin-arachnid    2020-06-18 14:17:46.125134977 +0000 UTC  alpine-0.1.0

If no results are found, 'helm list' will exit 0, but with no output (or in
the case of no '-q' flag, only headers).

By default, up to 256 items may be returned. To limit this, use the '--max' flag.
Setting '--max' to 0 will not return all results. Rather, it will return the
server's default, which may be much higher than 256. Pairing the '--max'
flag with the '--offset' flag allows you to page through results.
`;

/** The command `helm list` (pkg/cmd/list.go). */
export const list: Command<HelmContext> = {
  use: 'list',
  long,
  checkArguments: argumentCount('exactly', 0),
  flags: () => [
    switchFlag('short', 'output short (quiet) listing format', { shorthand: 'q' }),
    switchFlag('no-headers', "don't print headers when using the default output format"),
    textFlag(
      'time-format',
      'format time using golang time formatter. Example: --time-format "2006-01-02 15:04:05Z0700"',
    ),
    switchFlag('date', 'sort by release date', { shorthand: 'd' }),
    switchFlag('reverse', 'reverse the sort order', { shorthand: 'r' }),
    switchFlag('uninstalled', "show uninstalled releases (if 'helm uninstall --keep-history' was used)"),
    switchFlag('superseded', 'show superseded releases'),
    switchFlag('uninstalling', 'show releases that are currently being uninstalled'),
    switchFlag('deployed', 'show deployed releases'),
    switchFlag('failed', 'show failed releases'),
    switchFlag('pending', 'show pending releases'),
    switchFlag('all-namespaces', 'list releases across all namespaces', { shorthand: 'A' }),
    integerFlag('max', 'maximum number of releases to fetch', { shorthand: 'm', initial: 256 }),
    integerFlag('offset', 'next release index in the list, used to offset from start value'),
    textFlag(
      'filter',
      'a regular expression (Perl compatible). Any releases that match the expression will be included in the results',
      { shorthand: 'f' },
    ),
    textFlag(
      'selector',
      "Selector (label query) to filter on, supports '=', '==', and '!='.(e.g. -l key1=value1,key2=value2). Works only for secret(default) and configmap storage backends.",
      { shorthand: 'l' },
    ),
    outputFlag,
  ],
  async run({ flags, context }) {
    const payload = await listParameters(flags, context);
    const { releases } = await withReleases(context, (all) => all.perform('list_releases', payload));
    const options = {
      timeFormat: flags.optionalText('time-format'),
      short: flags.isOn('short'),
      headers: !flags.isOn('no-headers'),
    };
    const output = listOutput(
      releases.map((release) => releaseOf({ release })),
      options,
      context.host,
    );
    context.stdout.write(textOf(outputFormat(flags), output));
  },
};

async function listParameters(flags: FlagValues, context: HelmContext): Promise<Parameters> {
  return {
    namespace: flags.isOn('all-namespaces') ? undefined : await context.namespace(),
    filter: flags.optionalText('filter'),
    selector: flags.optionalText('selector'),
    statuses: selectedStatuses((flag) => flags.isOn(flag)),
    sort: flags.isOn('date') ? 'date' : 'name',
    reverse: flags.isOn('reverse'),
    max: flags.integer('max'),
    offset: flags.integer('offset'),
  };
}
