import type { Command } from 'commander';
import { refuseHelmFlags } from '../helm-flags.ts';
import type { Release } from '../../release/release.ts';
import { chartToSend } from './chart-to-send.ts';
import { addDeployOptions, deployParameters, type DeployFlags } from './deploy-options.ts';
import { wantsHelmDefaults } from './helm-defaults.ts';
import { dryRunOf } from './helm-values.ts';
import { nameAndChart, requireNewReleaseName, requireReleaseName, type NameFlags } from './name-and-chart.ts';
import { textOf } from './output/format.ts';
import { differenceText } from './output/diff.ts';
import { deployOutput } from './output/deploy.ts';
import { releaseOf, shown } from './output/print.ts';
import { deployNote, successText } from './result-text.ts';
import type { CtlSession, PerformOptions } from './session.ts';
import { addSubcommand, agentOption, deliverWithinOption, namespaceOption } from './subcommand.ts';

const repository = 'https://stefanprodan.github.io/podinfo';

interface InstallFlags extends DeployFlags, NameFlags {
  upgrade?: boolean;
  replace?: boolean;
}

/** Adds `ctl install`. */
export function addInstall(ctl: Command, session: CtlSession): void {
  const { dependencies } = session;
  const command = addSubcommand(ctl, 'install', 'Install a chart as a new release', [
    `install podinfo podinfo --agent edge-1 --repo ${repository} --version ^6 -n demo`,
    'install hello web --agent edge-1 -f values.yaml --set replicas=2 --timeout 10m',
  ])
    .usage('[options] [name] <chart>')
    .argument('<name>', 'name of the release; without a name, the first argument is the chart')
    .argument('[chart]', chartDescription);
  addDeployFlags(command)
    .option('--upgrade', 'upgrade the release if it exists')
    .option('--replace', 'use the name of a release that failed, or was uninstalled with its history kept')
    .option('-g, --generate-name', 'generate the name')
    .option('--name-template <template>', 'Go template for the name')
    .action(async (first: string, second: string | undefined, flags: InstallFlags) => {
      const { upgrade, replace } = flags;
      const names = nameAndChart(second === undefined ? [first] : [first, second], flags, dependencies);
      requireNewReleaseName(names.releaseName);
      const payload = { ...(await deployParameters(names, flags, dependencies)), upgrade, replace };
      const chart = await chartToSend(names.chartName, flags);
      await session.perform(flags, 'install_release', payload, { ...deployText(flags, session), chart });
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
  const command = addSubcommand(ctl, 'upgrade', 'Upgrade a release', [
    `upgrade podinfo podinfo --agent edge-1 --repo ${repository} --set replicaCount=2 -n demo`,
  ])
    .argument('<name>', 'name of the release')
    .argument('<chart>', chartDescription);
  addDeployFlags(command)
    .option('-i, --install', 'install the release if it does not exist')
    .option('--reset-values', 'use only the values that are given, and the defaults of the chart')
    .option('--reuse-values', "use the last release's values and defaults, under the values that are given")
    .option('--reset-then-reuse-values', "use the last release's values under those that are given, with new defaults")
    .action(async (releaseName: string, chartName: string, flags: UpgradeFlags) => {
      const { resetValues, reuseValues, resetThenReuseValues } = flags;
      requireReleaseName(releaseName);
      const deploy = await deployParameters({ releaseName, chartName }, flags, session.dependencies);
      const chart = await chartToSend(chartName, flags);
      const parameters = { ...deploy, resetValues, reuseValues, resetThenReuseValues };
      const options = { ...deployText(flags, session, upgradedText), chart };
      if (flags.install) await session.perform(flags, 'install_release', { ...parameters, upgrade: true }, options);
      else await session.perform(flags, 'upgrade_release', parameters, options);
    });
  refuseHelmFlags(command, 'ctl');
}

/** Returns the first line of `helm upgrade`, which depends on whether it has installed. */
function upgradedText({ name, info }: Release): string {
  return info.first_deployed !== undefined && info.first_deployed === info.last_deployed
    ? `Release ${JSON.stringify(name)} does not exist. Installing it now.\n`
    : `Release ${JSON.stringify(name)} has been upgraded. Happy Helming!\n`;
}

/**
 * Returns how the result is printed: as helm does with `--output`, for a dry run and with the
 * defaults of helm, and otherwise with the fields of the release.
 */
function deployText(
  flags: DeployFlags,
  { dependencies }: CtlSession,
  firstLine: (release: Release) => string = () => '',
): PerformOptions<'install_release' | 'upgrade_release'> {
  const { stdout, stderr, host } = dependencies;
  const isHelms = dryRunOf(flags.dryRun) !== undefined || wantsHelmDefaults(flags, dependencies);
  const { output = isHelms ? 'table' : undefined } = flags;
  if (output === undefined)
    return { text: (answer) => (deployNote(answer) ?? '') + successText({ ok: true, ...answer }) };
  return {
    text(answer) {
      const release = releaseOf(answer, ['manifest', 'hooks']);
      const text = textOf(output, deployOutput(release, host));
      // helm's own output stays as it is
      const { differences } = answer;
      if (differences && output === 'table') stderr.write(differences.map(differenceText).join(''));
      return shown(output === 'table' ? (deployNote(answer) ?? firstLine(release)) + text : text, stdout);
    },
  };
}

const chartDescription =
  'a folder or an archive of this machine, an oci:// or https:// URL, with --repo the name of a chart, or else the name of a chart in the --local-charts folder of the agent';

function addDeployFlags(command: Command): Command {
  command.addOption(agentOption()).addOption(deliverWithinOption()).addOption(namespaceOption());
  addDeployOptions(command);
  return command;
}
