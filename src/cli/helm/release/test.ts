import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { releaseOf } from '../../ctl/output/print.ts';
import { headText, testSuiteText } from '../../ctl/output/status.ts';
import { namesOfFilters } from '../../ctl/test-filters.ts';
import { commaListFlag, switchFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { timeoutFlag } from '../flags/install-flags.ts';
import { timeoutParameter } from './deploy-parameters.ts';
import { withReleases } from './with-releases.ts';

// prettier-ignore
const long = `
The test command runs the tests for a release.

The argument this command takes is the name of a deployed release.
The tests to be run are defined in the chart that was installed.
`;

/** The command `helm test` (pkg/cmd/release_testing.go). */
export const test: Command<HelmContext> = {
  use: 'test [RELEASE]',
  long,
  checkArguments: argumentCount('exactly', 1),
  flags: () => [
    timeoutFlag(),
    switchFlag('logs', 'dump the logs from test pods (this runs after all tests are complete, but before any cleanup)'),
    commaListFlag(
      'filter',
      'specify tests by attribute (currently "name") using attribute=value syntax or \'!attribute=value\' to exclude a test (can specify multiple or separate values with commas: name=test1,name=test2)',
    ),
  ],
  async run({ args: [releaseName = ''], flags, context }) {
    const { stdout, host } = context;
    const hasLogs = flags.isOn('logs');
    const payload = {
      releaseName,
      namespace: await context.namespace(),
      timeout: timeoutParameter(flags),
      logs: hasLogs,
      ...namesOfFilters(flags.list('filter')),
    };
    const answer = await withReleases(context, (releases) => releases.perform('test_release', payload));
    const release = releaseOf(answer, ['hooks']);
    stdout.write(headText(release, host) + testSuiteText(release, host));
    const logs = (answer.logs ?? []).map(({ pod, container, log }) => `POD LOGS: ${pod} (${container})\n${log}\n`);
    if (hasLogs) stdout.write(`\n${logs.join('')}`);
    if (answer.failure !== undefined) throw new Error(answer.failure.message);
  },
};
