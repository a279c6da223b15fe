import type { Command } from 'commander';
import { requireDependencies, requireInstallableType } from '../../chart/metadata/installable.ts';
import { addChartOptions, addValueOptions, listed, repeated, type RepositoryFlags } from '../chart-options.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { refuseHelmFlags } from '../helm-flags.ts';
import { helmLog } from '../helm-log.ts';
import { kubeVersionOf, namespaceOf } from '../release-options.ts';
import { limitsDescription, limitsFlag, parseLimits } from '../limits.ts';
import { loadChart } from '../load-chart.ts';
import { locateChart } from '../locate-chart.ts';
import { readPassword } from '../password-file.ts';
import { mergeValueFlags, type ValueFlags } from '../values.ts';
import { requireKnownFormat } from './chart-version.ts';
import { nameFromTemplate, requireReleaseName, type NameEnvironment } from './release-name.ts';
import { showOnly } from './show-only.ts';
import { templateChart } from './template-chart.ts';

interface TemplateFlags extends ValueFlags, RepositoryFlags {
  namespace?: string;
  kubeVersion?: string;
  apiVersions?: string[];
  includeCrds?: boolean;
  showOnly?: string[];
  isUpgrade?: boolean;
  hooks: boolean;
  skipTests?: boolean;
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

/** Performs the steps in Helm's order, so that of several errors the same one is reported. */
async function template(args: readonly string[], flags: TemplateFlags, dependencies: ProgramDependencies) {
  const { stderr, env, host } = dependencies;
  const log = (line: string) => stderr.write(line);
  const helm = helmLog(log);
  const kubeVersion = kubeVersionOf(flags);
  const limits = parseLimits(flags.limits);
  const { name, chartName } = nameAndChart(args, flags.nameTemplate, { host, env });
  const located = await locateChart(chartName, flags, (path) => readPassword(dependencies, path), helm);
  const values = await mergeValueFlags(flags, (path) => dependencies.readFile(path));
  await requireKnownFormat(located);
  const chart = await loadChart(located, helm.notice, limits.chart);
  requireInstallableType(chart);
  if (chart.metadata.deprecated) helm.deprecated();
  requireDependencies(chart);
  requireReleaseName(name, helm);

  const request = {
    ...flags,
    chart,
    values,
    name,
    namespace: namespaceOf(flags, env),
    kubeVersion,
    apiVersions: flags.apiVersions ?? [],
    noHooks: !flags.hooks,
    options: { skipSchemaValidation: flags.skipSchemaValidation ?? false, charts: limits.chart.charts },
  };
  const renderer = dependencies.createRenderer({ allowNunjucks: flags.allowNunjucks ?? false, limits: limits.render });
  try {
    const { output } = await templateChart(request, renderer, new AbortController().signal, log);
    return flags.showOnly === undefined ? output : showOnly(output, flags.showOnly);
  } finally {
    await renderer.close();
  }
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
