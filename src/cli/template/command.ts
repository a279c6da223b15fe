import type { Command } from 'commander';
import { addChartOptions, addValueOptions, listed, repeated, type RepositoryFlags } from '../chart-options.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { refuseHelmFlags } from '../helm-flags.ts';
import { helmLog } from '../helm-log.ts';
import { kubeVersionOf, namespaceOf } from '../release-options.ts';
import { limitsDescription, limitsFlag, parseLimits } from '../limits.ts';
import { locateChart } from '../locate-chart.ts';
import { readPassword } from '../password-file.ts';
import { mergeValueFlags, type ValueFlags } from '../values.ts';
import { nameFromTemplate, type NameEnvironment } from './release-name.ts';
import { renderChart } from './render-chart.ts';
import { showOnly } from './show-only.ts';

interface TemplateFlags extends ValueFlags, RepositoryFlags {
  namespace?: string;
  kubeVersion?: string;
  apiVersions?: string[];
  includeCrds?: boolean;
  showOnly?: string[];
  isUpgrade?: boolean;
  hooks: boolean;
  skipTests?: boolean;
  enableDns?: boolean;
  skipSchemaValidation?: boolean;
  nameTemplate?: string;
  allowNunjucks?: boolean;
  limits?: string;
}

/** Adds `template`, which prints what `helm template` prints, without a cluster. */
export function addTemplate(program: Command, dependencies: ProgramDependencies): void {
  const command = program
    .command('template')
    .description('Render a chart and print its manifests, as helm template does')
    .argument(
      '<chart...>',
      'name of the release (default: release-name), then the chart: a directory, an archive, or the URL of one; with --repo, its name',
    )
    .usage('[options] [name] <chart>')
    .option('-n, --namespace <namespace>', 'namespace of the release (default: default)');
  addValueOptions(command);
  command
    .option('--kube-version <version>', 'Kubernetes version in .Capabilities.KubeVersion')
    .addOption(listed('-a, --api-versions <versions>', 'API versions to add to .Capabilities.APIVersions'))
    .option('--include-crds', 'also print the CRDs of the chart')
    .addOption(repeated('-s, --show-only <template>', 'print only the output of this template, a path or a pattern'))
    .option('--is-upgrade', 'set .Release.IsUpgrade instead of .Release.IsInstall')
    .option('--no-hooks', 'leave out hooks')
    .option('--skip-tests', 'leave out tests')
    .option('--enable-dns', 'let templates resolve host names')
    .option('--skip-schema-validation', 'do not check the values against values.schema.json')
    .option('--name-template <template>', 'Go template for the name of the release');
  addChartOptions(command);
  command
    .option('--allow-nunjucks', 'also render charts that are written for Nunjucks')
    .option(limitsFlag, limitsDescription)
    .addHelpText(
      'after',
      `
Examples:
  helm-agent template web ./web -f values.yaml --set replicas=2 -n demo
  helm-agent template podinfo --repo https://stefanprodan.github.io/podinfo --version ^6
  helm-agent template web ./web -s 'templates/*.yaml' --kube-version 1.33 -a monitoring.coreos.com/v1`,
    )
    .action(async (args: string[], flags: TemplateFlags) => {
      dependencies.stdout.write(await template(args, flags, dependencies));
    });
  refuseHelmFlags(command, 'offline');
}

async function template(args: readonly string[], flags: TemplateFlags, dependencies: ProgramDependencies) {
  const { stderr, env, host } = dependencies;
  const log = (line: string) => stderr.write(line);
  const helm = helmLog(log);
  const kubeVersion = kubeVersionOf(flags);
  const limits = parseLimits(flags.limits);
  const { name, chartName } = nameAndChart(args, flags.nameTemplate, { host, env });
  const request = {
    ...flags,
    locate: () => locateChart(chartName, flags, (path) => readPassword(dependencies, path), helm),
    values: () => mergeValueFlags(flags, (path) => dependencies.readFile(path)),
    name,
    namespace: namespaceOf(flags, env),
    kubeVersion,
    apiVersions: flags.apiVersions ?? [],
    noHooks: !flags.hooks,
    skipSchemaValidation: flags.skipSchemaValidation ?? false,
    resolveHost: flags.enableDns ? dependencies.resolveHost : undefined,
    limits: limits.chart,
  };
  const createRenderer = () =>
    dependencies.createRenderer({
      allowNunjucks: flags.allowNunjucks ?? false,
      ...(flags.limits !== undefined && { limits: limits.render }),
    });
  const output = await renderChart(request, createRenderer, helm, log);
  return flags.showOnly === undefined ? output : showOnly(output, flags.showOnly);
}

function nameAndChart(args: readonly string[], nameTemplate: string | undefined, environment: NameEnvironment) {
  const [first = '', second, ...more] = args;
  if (more.length > 0) throw new Error(`expected at most two arguments, unexpected arguments: ${more.join(', ')}`);
  if (second === undefined) {
    return { name: nameTemplate ? nameFromTemplate(nameTemplate, environment) : 'release-name', chartName: first };
  }
  if (nameTemplate) throw new Error('cannot set --name-template and also specify a name');
  return { name: first, chartName: second };
}
