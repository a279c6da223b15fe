import type { Command } from 'commander';
import { refuseHelmFlags } from '../helm-flags.ts';
import { addDeployOptions, deployParameters, type DeployFlags } from './deploy-options.ts';
import type { CtlSession } from './session.ts';
import { addSubcommand, agentOption, namespaceOption } from './subcommand.ts';

const repository = 'https://stefanprodan.github.io/podinfo';

/** Adds `ctl install`. */
export function addInstall(ctl: Command, session: CtlSession): void {
  const command = addDeployCommand(ctl, 'install', 'Install a chart as a new release', [
    `install podinfo podinfo --agent edge-1 --repo ${repository} --version ^6 -n demo`,
    'install hello web --agent edge-1 -f values.yaml --set replicas=2 --timeout 10m',
  ])
    .option('--upgrade', 'upgrade the release if it exists')
    .action(async (releaseName: string, chartName: string, flags: DeployFlags & { upgrade?: boolean }) => {
      const parameters = await deployParameters(releaseName, chartName, flags, session.dependencies);
      await session.perform(flags, 'install_release', { ...parameters, ...(flags.upgrade && { upgrade: true }) });
    });
  refuseHelmFlags(command, 'ctl');
}

/** Adds `ctl upgrade`. */
export function addUpgrade(ctl: Command, session: CtlSession): void {
  const command = addDeployCommand(ctl, 'upgrade', 'Upgrade a release', [
    `upgrade podinfo podinfo --agent edge-1 --repo ${repository} --set replicaCount=2 -n demo`,
  ])
    .option('-i, --install', 'install the release if it does not exist')
    .action(async (releaseName: string, chartName: string, flags: DeployFlags & { install?: boolean }) => {
      const parameters = await deployParameters(releaseName, chartName, flags, session.dependencies);
      if (flags.install) await session.perform(flags, 'install_release', { ...parameters, upgrade: true });
      else await session.perform(flags, 'upgrade_release', parameters);
    });
  refuseHelmFlags(command, 'ctl');
}

function addDeployCommand(ctl: Command, name: string, description: string, examples: readonly string[]): Command {
  const command = addSubcommand(ctl, name, description, examples)
    .argument('<name>', 'name of the release')
    .argument(
      '<chart>',
      'with --repo, the name of a chart; otherwise an oci:// or https:// URL, or a path on the agent, below its --local-charts folder',
    )
    .addOption(agentOption())
    .addOption(namespaceOption());
  addDeployOptions(command);
  return command;
}
