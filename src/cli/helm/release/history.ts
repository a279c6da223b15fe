import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { textOf } from '../../ctl/output/format.ts';
import { historyOutput } from '../../ctl/output/history.ts';
import { releaseOf } from '../../ctl/output/print.ts';
import { integerFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { outputFlag } from '../flags/output-flag.ts';
import { outputFormat } from './output-format.ts';
import { withReleases } from './with-releases.ts';

// prettier-ignore
const long = `
History prints historical revisions for a given release.

A default maximum of 256 revisions will be returned. Setting '--max'
configures the maximum length of the revision list returned.

The historical release set is printed as a formatted table, e.g:

    $ helm history angry-bird
    REVISION    UPDATED                     STATUS          CHART             APP VERSION     DESCRIPTION
    1           Mon Oct 3 10:15:13 2016     superseded      alpine-0.1.0      1.0             Initial install
    2           Mon Oct 3 10:15:13 2016     superseded      alpine-0.1.0      1.0             Upgraded successfully
    3           Mon Oct 3 10:15:13 2016     superseded      alpine-0.1.0      1.0             Rolled back to 2
    4           Mon Oct 3 10:15:13 2016     deployed        alpine-0.1.0      1.0             Upgraded successfully
`;

/** The command `helm history` (pkg/cmd/history.go). */
export const history: Command<HelmContext> = {
  use: 'history RELEASE_NAME',
  long,
  checkArguments: argumentCount('exactly', 1),
  flags: () => [integerFlag('max', 'maximum number of revision to include in history', { initial: 256 }), outputFlag],
  async run({ args: [releaseName = ''], flags, context }) {
    const max = flags.integer('max');
    const payload = { releaseName, namespace: await context.namespace(), ...(max > 0 && { max }) };
    const { releases } = await withReleases(context, (all) => all.perform('release_history', payload));
    const shown = max > 0 ? releases : [];
    const output = historyOutput(
      shown.map((release) => releaseOf({ release })),
      context.host,
    );
    context.stdout.write(textOf(outputFormat(flags), output));
  },
};
