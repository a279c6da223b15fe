import { parseDecimalInteger } from '../../../go/parse-number.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { rollbackDefaults } from '../../helm-default-options.ts';
import { historyLimitOf } from '../../ctl/helm-values.ts';
import { switchFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import {
  exclusiveForceFlags,
  forceFlags,
  forceParameters,
  historyMaxFlag,
  serverSideFlag,
  serverSideMode,
} from '../flags/apply-flags.ts';
import { dryRunFlag, dryRunMode } from '../flags/dry-run-flag.ts';
import { timeoutFlag, waitForJobsFlag } from '../flags/install-flags.ts';
import { waitFlag, waitStrategy } from '../flags/wait-flag.ts';
import { timeoutParameter } from './deploy-parameters.ts';
import { withReleases } from './with-releases.ts';

// prettier-ignore
const long = `
This command rolls back a release to a previous revision.

The first argument of the rollback command is the name of a release, and the
second is a revision (version) number. If this argument is omitted or set to
0, it will roll back to the previous release.

To see revision numbers, run 'helm history RELEASE'.
`;

/** The command `helm rollback` (pkg/cmd/rollback.go). */
export const rollback: Command<HelmContext> = {
  use: 'rollback <RELEASE> [REVISION]',
  long,
  checkArguments: argumentCount('at least', 1),
  exclusiveFlags: exclusiveForceFlags,
  flags: (context) => [
    ...forceFlags(),
    serverSideFlag(),
    switchFlag('no-hooks', 'prevent hooks from running during rollback'),
    timeoutFlag(),
    waitForJobsFlag(),
    switchFlag('cleanup-on-fail', 'allow deletion of new resources created in this rollback when rollback fails'),
    historyMaxFlag(context),
    dryRunFlag(),
    waitFlag(context),
  ],
  async run({ args: [releaseName = '', revision], flags, context }) {
    const version = revision === undefined ? 0 : revisionOf(revision);
    const dryRun = dryRunMode(flags, context);
    if (version < 0) throw new Error('invalid release revision');
    const payload = {
      ...rollbackDefaults,
      releaseName,
      namespace: await context.namespace(),
      version,
      timeout: timeoutParameter(flags),
      wait: waitStrategy(flags.text('wait')),
      waitForJobs: flags.isOn('wait-for-jobs'),
      cleanupOnFail: flags.isOn('cleanup-on-fail'),
      historyLimit: historyLimitOf(flags.integer('history-max')),
      ...forceParameters(flags),
      serverSide: serverSideMode(flags),
      noHooks: flags.isOn('no-hooks'),
      dryRun,
    };
    await withReleases(context, (releases) => releases.perform('rollback_release', payload));
    context.stdout.write('Rollback was a success! Happy Helming!\n');
  },
};

function revisionOf(text: string): number {
  const { value, error } = parseDecimalInteger(text);
  if (error !== undefined) throw new Error(`could not convert revision to a number: ${error}`);
  return Number(value);
}
