import type { Command } from 'commander';
import { refuseHelmFlags } from '../helm-flags.ts';
import type { CtlSession } from './session.ts';
import { addSubcommand, agentOption, namespaceOption } from './subcommand.ts';

/** Adds `ctl uninstall`. */
export function addUninstall(ctl: Command, session: CtlSession): void {
  const command = addSubcommand(ctl, 'uninstall', 'Uninstall a release', ['uninstall podinfo --agent edge-1 -n demo'])
    .argument('<name>', 'name of the release')
    .addOption(agentOption())
    .addOption(namespaceOption())
    .option('--timeout <duration>', 'time limit (default: 5m)')
    .option('--no-wait', 'do not wait until all resources are deleted')
    .action(async (releaseName: string, flags: { namespace?: string; timeout?: string; wait: boolean }) => {
      const { namespace, timeout, wait } = flags;
      await session.perform(flags, 'uninstall_release', { releaseName, namespace, timeout, ...(!wait && { wait }) });
    });
  refuseHelmFlags(command, 'ctl');
}
