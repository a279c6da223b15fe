import type { Host } from '../../go/host.ts';
import { releaseHistory } from '../../protocol/commands/release-history.ts';
import type { Release } from '../../release/release.ts';
import { appVersionOf, chartNameOf } from '../ctl/output/chart-name.ts';
import { type Output, textOf } from '../ctl/output/format.ts';
import { helmTable } from '../ctl/output/helm-table.ts';
import { releaseOf } from '../ctl/output/print.ts';
import { ansiTime, hasTime } from '../ctl/output/time.ts';
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

const header = ['REVISION', 'UPDATED', 'STATUS', 'CHART', 'APP VERSION', 'DESCRIPTION'];

/** Returns the output of `helm history` (pkg/cmd/history.go). */
function historyOutput(releases: readonly Release[], host: Host): Output {
  return {
    table() {
      const rows = releases.map((release) => [
        String(release.version),
        ansiTime(release.info.last_deployed, host),
        release.info.status,
        chartNameOf(release),
        appVersionOf(release),
        release.info.description ?? '',
      ]);
      return helmTable([header, ...rows]);
    },
    data: () =>
      releases.map((release) => ({
        revision: release.version,
        updated: hasTime(release.info.last_deployed, host) ? release.info.last_deployed : undefined,
        status: release.info.status,
        chart: chartNameOf(release),
        app_version: appVersionOf(release),
        description: release.info.description ?? '',
      })),
  };
}
