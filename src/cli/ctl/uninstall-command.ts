import { Option, type Command } from 'commander';
import { refuseHelmFlags } from '../helm-flags.ts';
import { ifBusyOption } from './busy-option.ts';
import { readLikePflag } from '../pflag-arguments.ts';
import { addSettings } from '../settings.ts';
import { printable } from '../text.ts';
import {
  addWaitOptions,
  hookTimeoutOption,
  logsOption,
  stepTimeoutOption,
  stepTimeoutsOf,
  withoutUndefined,
} from './deploy-options.ts';
import { uninstallDefaults } from '../helm-default-options.ts';
import { helmDefaultsSettings, wantsHelmDefaults } from './helm-defaults.ts';
import { waitOf } from './helm-values.ts';
import { addRecoverOptions, recoverParameters, type RecoverFlags } from './recover-options.ts';
import type { CtlSession } from './session.ts';
import { addSubcommand, agentOption, deliverWithinOption, namespaceOption } from './subcommand.ts';

interface UninstallFlags extends RecoverFlags {
  [flag: string]: unknown;
  namespace?: string;
  timeout?: string;
  wait?: boolean | string;
  hooks: boolean;
  ifBusy?: 'queue' | 'reject';
  hookTimeout?: string;
  stepTimeout?: string[];
  logs?: boolean;
  dryRun?: boolean;
  keepHistory?: boolean;
  ignoreNotFound?: boolean;
  cascade?: string;
  description?: string;
}

const cascades = ['background', 'foreground', 'orphan'] as const;

/** Adds `ctl uninstall`. */
export function addUninstall(ctl: Command, session: CtlSession): void {
  const command = addSubcommand(ctl, 'uninstall', 'Uninstall releases', ['uninstall podinfo --agent edge-1 -n demo'])
    .aliases(['del', 'delete', 'un'])
    .argument('<name...>', 'names of the releases')
    .addOption(agentOption())
    .addOption(deliverWithinOption())
    .addOption(namespaceOption())
    .option('--timeout <duration>', 'time limit for each release (default: 5m)')
    .option('--description <text>', 'description of the uninstallation, for a history that is kept')
    .option('--keep-history', 'keep the revisions')
    .option('--ignore-not-found', 'succeed if there is no such release')
    .option('--no-hooks', 'do not run hooks')
    .addOption(hookTimeoutOption())
    .addOption(stepTimeoutOption())
    .addOption(logsOption('hooks'))
    .option('--dry-run', 'change nothing')
    .addOption(
      new Option('--cascade <policy>', 'background, foreground or orphan: when the pods of an object are deleted'),
    );
  addRecoverOptions(command);
  command.addOption(ifBusyOption({ supersedes: false }));
  addWaitOptions(command, 'all resources are deleted');
  addSettings(command, helmDefaultsSettings);
  readLikePflag(command);
  command.action(async (names: string[], flags: UninstallFlags) => {
    const { namespace, timeout, description, keepHistory, ignoreNotFound, hooks, dryRun } = flags;
    const options = {
      ...{ namespace, timeout, description, keepHistory, ignoreNotFound, dryRun },
      cascade: cascadeOf(flags),
      ...recoverParameters(flags),
      ...(wantsHelmDefaults(flags, session.dependencies) && uninstallDefaults),
      ...withoutUndefined({ wait: waitOf(flags.wait), logs: flags.logs }),
      ...(!hooks && { noHooks: true }),
      hookTimeout: flags.hookTimeout,
      ifBusy: flags.ifBusy,
      stepTimeouts: stepTimeoutsOf(flags.stepTimeout),
    };
    for (const releaseName of names) {
      const code = await session.perform(
        flags,
        'uninstall_release',
        { releaseName, ...options },
        {
          text: ({ info }) =>
            `${info === undefined ? '' : `${printable(info)}\n`}release "${releaseName}" uninstalled\n`,
        },
      );
      if (code !== 0) return;
    }
  });
  refuseHelmFlags(command, 'ctl');
}

/** Errors have Helm's texts. */
function cascadeOf({ cascade }: UninstallFlags): (typeof cascades)[number] | undefined {
  const policy = cascades.find((each) => each === cascade);
  if (cascade === undefined || policy !== undefined) return policy;
  throw new Error(`invalid cascade value (${cascade}). Must be "background", "foreground", or "orphan"`);
}
