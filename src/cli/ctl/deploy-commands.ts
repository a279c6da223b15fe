import type { Command } from 'commander';
import { refuseHelmFlags } from '../helm-flags.ts';
import { addDeployOptions, deployParameters, isServerDryRun, type DeployFlags } from './deploy-options.ts';
import { textOf } from './output/format.ts';
import { deployOutput } from './output/deploy.ts';
import { releaseOf, shown } from './output/print.ts';
import type { CtlSession, PerformOptions } from './session.ts';
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
      const payload = { ...parameters, ...(flags.upgrade && { upgrade: true }) };
      await session.perform(flags, 'install_release', payload, deployText(flags, session));
    });
  refuseHelmFlags(command, 'ctl');
}

interface UpgradeFlags extends DeployFlags {
  install?: boolean;
  resetValues?: boolean;
  reuseValues?: boolean;
  resetThenReuseValues?: boolean;
}

/** Adds `ctl upgrade`. */
export function addUpgrade(ctl: Command, session: CtlSession): void {
  const command = addDeployCommand(ctl, 'upgrade', 'Upgrade a release', [
    `upgrade podinfo podinfo --agent edge-1 --repo ${repository} --set replicaCount=2 -n demo`,
  ])
    .option('-i, --install', 'install the release if it does not exist')
    .option('--reset-values', 'use only the values that are given, and the defaults of the chart')
    .option('--reuse-values', "use the last release's values and defaults, under the values that are given")
    .option('--reset-then-reuse-values', "use the last release's values under those that are given, with new defaults")
    .action(async (releaseName: string, chartName: string, flags: UpgradeFlags) => {
      const { resetValues, reuseValues, resetThenReuseValues } = flags;
      const deploy = await deployParameters(releaseName, chartName, flags, session.dependencies);
      const parameters = { ...deploy, resetValues, reuseValues, resetThenReuseValues };
      const text = deployText(flags, session);
      if (flags.install) await session.perform(flags, 'install_release', { ...parameters, upgrade: true }, text);
      else await session.perform(flags, 'upgrade_release', parameters, text);
    });
  refuseHelmFlags(command, 'ctl');
}

/**
 * Returns how the result is printed: as helm does with `--output` and for a dry run, and otherwise
 * with the fields of the release.
 */
function deployText(
  flags: DeployFlags,
  { dependencies: { stdout, host } }: CtlSession,
): PerformOptions<'install_release' | 'upgrade_release'> {
  const { output = isServerDryRun(flags) ? 'table' : undefined } = flags;
  if (output === undefined) return {};
  return {
    text: (answer) => shown(textOf(output, deployOutput(releaseOf(answer, ['manifest', 'hooks']), host)), stdout),
  };
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
