import { listReleases } from '../../protocol/commands/list-releases.ts';
import { textOf } from '../ctl/output/format.ts';
import { listOutput } from '../ctl/output/list.ts';
import { releaseOf } from '../ctl/output/print.ts';
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
