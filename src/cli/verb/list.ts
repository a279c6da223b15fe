import type { Host } from '../../go/host.ts';
import { listReleases } from '../../protocol/commands/list-releases.ts';
import type { Release } from '../../release/release.ts';
import { appVersionOf, chartNameOf } from '../ctl/output/chart-name.ts';
import { type Output, textOf } from '../ctl/output/format.ts';
import { helmTable } from '../ctl/output/helm-table.ts';
import { releaseOf } from '../ctl/output/print.ts';
import { listedTime } from '../ctl/output/time.ts';
import { unreadableNotes } from '../ctl/unreadable-notes.ts';
import { outputFlag, outputFormat } from '../helm/flags/output-flag.ts';
import { switchFlag, textFlag } from '../pflag/flag.ts';
import type { Verb } from './verb.ts';

export const list: Verb<'list_releases'> = {
  type: 'list_releases',
  definition: listReleases,
  flags: [
    switchFlag('short', 'print only names', { shorthand: 'q' }),
    switchFlag('no-headers', 'do not print the first row of the table'),
    textFlag('time-format', "layout of times, as for Go's time.Format"),
    switchFlag('all-namespaces', 'list the releases of all namespaces', { shorthand: 'A' }),
    outputFlag,
  ],
  values(flags) {
    const offset = flags.integer('offset');
    if (offset < 0) throw new Error(`--offset is ${offset}, but it must be 0 or more`); // helm panics
    return {};
  },
  isOfAll: (flags) => flags.isOn('all-namespaces'),
  notes: unreadableNotes,
  text({ releases }, { flags, host }) {
    const options = {
      timeFormat: flags.optionalText('time-format'),
      short: flags.isOn('short'),
      headers: !flags.isOn('no-headers'),
    };
    const listed = releases.map((release) => releaseOf({ release }));
    return textOf(outputFormat(flags), listOutput(listed, options, host));
  },
};

interface ListOutputOptions {
  /** Go's layout for times. Default: as Go prints a time. */
  timeFormat?: string | undefined;
  /** Prints only the names. Default: false. */
  short?: boolean | undefined;
  /** Whether a table has a first row. Default: true. */
  headers?: boolean | undefined;
}

const header = ['NAME', 'NAMESPACE', 'REVISION', 'UPDATED', 'STATUS', 'CHART', 'APP VERSION'];

/** Returns the output of `helm list` (pkg/cmd/list.go). */
function listOutput(releases: readonly Release[], options: ListOutputOptions, host: Host): Output {
  const { timeFormat = '', short = false, headers = true } = options;
  if (short) {
    const names = releases.map(({ name }) => name);
    return { table: () => names.map((name) => `${name}\n`).join(''), data: () => names };
  }
  const elements = releases.map((release) => ({
    name: release.name,
    namespace: release.namespace,
    revision: String(release.version),
    updated: listedTime(release.info.last_deployed, timeFormat, host),
    status: release.info.status,
    chart: chartNameOf(release),
    app_version: appVersionOf(release),
  }));
  return {
    table: () => helmTable([...(headers ? [header] : []), ...elements.map((element) => Object.values(element))]),
    data: () => elements,
  };
}
