import type { Command } from 'commander';
import { ifBusyOption } from './busy-option.ts';
import { readLikePflag } from '../pflag-arguments.ts';
import { addSettings } from '../settings.ts';
import { refuseHelmFlags } from '../helm-flags.ts';
import { addApplyOptions, applyParameters, type ApplyFlags } from './apply-options.ts';
import {
  addSettleOption,
  addSwitches,
  addWaitOptions,
  settleOf,
  dryRunOption,
  hookTimeoutOption,
  logsOption,
  stepTimeoutOption,
  stepTimeoutsOf,
  withoutUndefined,
} from './deploy-options.ts';
import { rollbackDefaults } from '../helm-default-options.ts';
import { helmDefaultsSettings, wantsHelmDefaults } from './helm-defaults.ts';
import { dryRunOf, historyLimitOf, waitOf } from './helm-values.ts';
import { addRecoverOptions, recoverParameters, type RecoverFlags } from './recover-options.ts';
import { addFailFastOptions, failFastParameters, type FailFastFlags } from './fail-fast-options.ts';
import { integer } from './integer.ts';
import type { CtlSession } from './session.ts';
import { addSubcommand, agentOption, deliverWithinOption, namespaceOption } from './subcommand.ts';

interface RollbackFlags extends Omit<ApplyFlags, 'takeOwnership'>, RecoverFlags, FailFastFlags {
  [flag: string]: unknown;
  namespace?: string;
  timeout?: string;
  wait?: boolean | string;
  waitForJobs?: boolean;
  settle?: string;
  progressDeadline?: string;
  cleanupOnFail?: boolean;
  historyMax?: number;
  hooks: boolean;
  ifBusy?: 'queue' | 'reject';
  hookTimeout?: string;
  stepTimeout?: string[];
  logs?: boolean;
  dryRun?: string;
}

/** Adds `ctl rollback`. */
export function addRollback(ctl: Command, session: CtlSession): void {
  const examples = ['rollback podinfo --agent edge-1 -n demo', 'rollback podinfo 3 --agent edge-1 --timeout 10m'];
  const command = addSubcommand(ctl, 'rollback', 'Roll back a release to an older revision', examples)
    .argument('<name>', 'name of the release')
    .argument('[revision]', 'the revision to roll back to (default: the previous one)')
    .addOption(agentOption())
    .addOption(deliverWithinOption())
    .addOption(namespaceOption())
    .option('--timeout <duration>', 'time limit (default: 5m)')
    .option('--cleanup-on-fail', 'delete the objects that a failed rollback has created')
    .option('--history-max <number>', 'number of revisions to keep; 0 for all (default: 10)', integer)
    .option('--no-hooks', 'do not run hooks')
    .addOption(hookTimeoutOption())
    .addOption(stepTimeoutOption())
    .addOption(logsOption('hooks and Jobs'))
    .addOption(dryRunOption('only check that the rollback is possible'));
  addApplyOptions(command);
  addRecoverOptions(command);
  command.addOption(ifBusyOption({ supersedes: false }));
  addWaitOptions(command, 'all resources are ready');
  addFailFastOptions(command);
  addSettleOption(command);
  addSwitches(command, ['wait-for-jobs']);
  addSettings(command, helmDefaultsSettings);
  readLikePflag(command);
  command.action(async (releaseName: string, revision: string | undefined, flags: RollbackFlags) => {
    const { namespace, timeout, waitForJobs, cleanupOnFail, historyMax, hooks } = flags;
    const payload = {
      releaseName,
      namespace,
      version: revision === undefined ? undefined : revisionOf(revision),
      timeout,
      ...(wantsHelmDefaults(flags, session.dependencies) && rollbackDefaults),
      ...withoutUndefined({
        wait: waitOf(flags.wait),
        waitForJobs,
        settle: settleOf(flags.settle),
        progressDeadline: flags.progressDeadline,
        logs: flags.logs,
      }),
      cleanupOnFail,
      historyLimit: historyLimitOf(historyMax),
      ...applyParameters(flags),
      ...withoutUndefined(failFastParameters(flags)),
      ...recoverParameters(flags),
      ...(!hooks && { noHooks: true }),
      hookTimeout: flags.hookTimeout,
      ifBusy: flags.ifBusy,
      stepTimeouts: stepTimeoutsOf(flags.stepTimeout),
      dryRun: dryRunOf(flags.dryRun),
    };
    const text = () => 'Rollback was a success! Happy Helming!\n';
    await session.perform(flags, 'rollback_release', payload, { text });
  });
  refuseHelmFlags(command, 'ctl');
}

/** Errors have Helm's texts. */
function revisionOf(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) {
    const reason = `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
    throw new Error(`could not convert revision to a number: ${reason}`);
  }
  const revision = Number(text);
  if (revision < 0) throw new Error('invalid release revision');
  return revision;
}
