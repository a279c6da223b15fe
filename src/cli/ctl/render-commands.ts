import type { Command } from 'commander';
import type { CommandParameters } from '../../protocol/commands/index.ts';
import { addRepositoryOptions, addValueOptions, repeated, type RepositoryFlags } from '../chart-options.ts';
import { refuseHelmFlags } from '../helm-flags.ts';
import { readLikePflag } from '../pflag-arguments.ts';
import { showOnly } from '../template/show-only.ts';
import { valueParameters, type ValueFlags } from '../values.ts';
import { chartToSend, onAgentOption } from './chart-to-send.ts';
import { credentialsOption, repositoryParameters } from './deploy-options.ts';
import { diffText } from './output/diff.ts';
import { shown } from './output/print.ts';
import type { CtlSession } from './session.ts';
import { addSubcommand, agentOption, deliverWithinOption, namespaceOption } from './subcommand.ts';

interface RenderFlags extends ValueFlags, RepositoryFlags {
  [flag: string]: unknown;
  onAgent?: boolean;
  namespace?: string;
  timeout?: string;
  skipSchemaValidation?: boolean;
  enableDns?: boolean;
  dependencyUpdate?: boolean;
}

interface TemplateFlags extends RenderFlags {
  hooks: boolean;
  skipTests?: boolean;
  hideSecret?: boolean;
  isUpgrade?: boolean;
  includeCrds?: boolean;
  showOnly?: string[];
}

interface DiffFlags extends RenderFlags {
  live?: boolean;
  resetValues?: boolean;
  reuseValues?: boolean;
  resetThenReuseValues?: boolean;
}

/** Adds `ctl template`. */
export function addTemplate(ctl: Command, session: CtlSession): void {
  const { stdout } = session.dependencies;
  const command = addRenderCommand(ctl, 'template', 'Render a chart with the cluster of an agent', [
    'template web web --agent edge-1 -f values.yaml',
  ])
    .option('--no-hooks', 'leave out hooks')
    .option('--skip-tests', 'leave out tests')
    .option('--hide-secret', 'leave out Secrets')
    .option('--include-crds', 'also print the CRDs of the chart')
    .option('--is-upgrade', 'set .Release.IsUpgrade instead of .Release.IsInstall')
    .addOption(repeated('-s, --show-only <template>', 'print only the output of this template, a path or a pattern'))
    .action(async (releaseName: string, chartName: string, flags: TemplateFlags) => {
      const { hooks, skipTests, hideSecret, includeCrds, isUpgrade, showOnly: only } = flags;
      const common = await renderParameters(releaseName, chartName, flags, session);
      const payload = { ...common, ...(!hooks && { noHooks: true }), skipTests, includeCrds, hideSecret, isUpgrade };
      const text = ({ manifest }: { manifest: string }) =>
        shown(only === undefined ? manifest : showOnly(manifest, only), stdout);
      await session.perform(flags, 'template_release', payload, {
        quiet: true,
        text,
        chart: await chartToSend(chartName, flags),
      });
    });
  refuseHelmFlags(command, 'ctl template');
}

/** Adds `ctl diff`, which helm does not have. */
export function addDiff(ctl: Command, session: CtlSession): void {
  const { stdout } = session.dependencies;
  addRenderCommand(ctl, 'diff', 'Show what an upgrade would change', [
    'diff web web --agent edge-1 --set replicas=3',
    'diff web web --agent edge-1 --live',
  ])
    .option('--live', 'compare with the objects in the cluster, by a dry run of the API server')
    .option('--reset-values', 'use only the values that are given, and the defaults of the chart')
    .option('--reuse-values', "use the last release's values and defaults, under the values that are given")
    .option('--reset-then-reuse-values', "use the last release's values under those that are given, with new defaults")
    .action(async (releaseName: string, chartName: string, flags: DiffFlags) => {
      const { live, resetValues, reuseValues, resetThenReuseValues } = flags;
      const common = await renderParameters(releaseName, chartName, flags, session);
      const reuse = { resetValues, reuseValues, resetThenReuseValues };
      const payload: CommandParameters['diff_release'] = { ...common, ...reuse, ...(live && { against: 'live' }) };
      const text = (answer: Parameters<typeof diffText>[0]) => shown(diffText(answer), stdout);
      await session.perform(flags, 'diff_release', payload, {
        quiet: true,
        text,
        chart: await chartToSend(chartName, flags),
      });
    });
}

function addRenderCommand(ctl: Command, name: string, description: string, examples: readonly string[]): Command {
  const command = addSubcommand(ctl, name, description, examples)
    .argument('<name>', 'name of the release')
    .argument('<chart>', 'the chart, as for install')
    .addOption(agentOption())
    .addOption(deliverWithinOption())
    .addOption(namespaceOption());
  addRepositoryOptions(command, 'a URL, or a path');
  command.addOption(onAgentOption()).addOption(credentialsOption());
  command.option('--devel', "include pre-releases; same as --version '>0.0.0-0'");
  readLikePflag(command);
  addValueOptions(command);
  return command
    .option('--timeout <duration>', 'time limit (default: 5m)')
    .option('--skip-schema-validation', 'do not check the values against values.schema.json')
    .option('--enable-dns', 'let templates resolve host names')
    .option('--dependency-update', 'download the dependencies that charts/ does not contain');
}

async function renderParameters(
  releaseName: string,
  chartName: string,
  flags: RenderFlags,
  { dependencies }: CtlSession,
) {
  const { namespace, timeout, skipSchemaValidation, enableDns } = flags;
  return {
    releaseName,
    namespace,
    timeout,
    skipSchemaValidation,
    enableDns,
    ...(await repositoryParameters(chartName, flags, dependencies)),
    ...(await valueParameters(flags, (path) => dependencies.readFile(path))),
  };
}
