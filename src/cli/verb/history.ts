import { releaseHistory } from '../../protocol/commands/release-history.ts';
import { textOf } from '../ctl/output/format.ts';
import { historyOutput } from '../ctl/output/history.ts';
import { releaseOf } from '../ctl/output/print.ts';
import { unreadableNotes } from '../ctl/unreadable-notes.ts';
import { outputFlag, outputFormat } from '../helm/flags/output-flag.ts';
import type { Verb } from './verb.ts';

export const history: Verb<'release_history'> = {
  type: 'release_history',
  definition: releaseHistory,
  flags: [outputFlag],
  notes: unreadableNotes,
  text({ releases }, { program, flags, host }) {
    // as in Helm, no revision is shown for 0
    const isNone = program === 'helm' && flags.integer('max') <= 0;
    const revisions = isNone ? [] : releases.map((release) => releaseOf({ release }));
    return textOf(outputFormat(flags), historyOutput(revisions, host));
  },
};
