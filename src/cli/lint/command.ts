import type { Command } from 'commander';
import { addValueOptions } from '../chart-options.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { refuseHelmFlags } from '../helm-flags.ts';
import { helmLog } from '../helm-log.ts';
import { kubeVersionOf, namespaceOf } from '../release-options.ts';
import { mergeValueFlags, type ValueFlags } from '../values.ts';
import { lintCharts } from './lint-charts.ts';

interface LintFlags extends ValueFlags {
  namespace?: string;
  kubeVersion?: string;
  strict?: boolean;
  quiet?: boolean;
  withSubcharts?: boolean;
  skipSchemaValidation?: boolean;
  allowNunjucks?: boolean;
}

/** Adds `lint`, which prints what `helm lint` prints. */
export function addLint(program: Command, dependencies: ProgramDependencies): void {
  const command = program
    .command('lint')
    .description('Check charts for possible problems, as helm lint does')
    .argument('<chart...>', 'one or more directories or archives')
    .option('-n, --namespace <namespace>', 'namespace in .Release.Namespace (default: default)');
  addValueOptions(command);
  command
    .option('--kube-version <version>', 'Kubernetes version in .Capabilities.KubeVersion')
    .option('--strict', 'also fail on warnings')
    .option('--quiet', 'print only warnings and errors')
    .option('--with-subcharts', 'also lint the charts in charts/')
    .option('--skip-schema-validation', 'do not check the values against values.schema.json')
    .option('--allow-nunjucks', 'also render charts that are written for Nunjucks')
    .addHelpText(
      'after',
      `
Examples:
  helm-agent lint ./web
  helm-agent lint ./web --strict --with-subcharts -f values.yaml`,
    )
    .action(async (paths: string[], flags: LintFlags) => {
      await lint(paths, flags, dependencies);
    });
  refuseHelmFlags(command, 'offline');
}

async function lint(paths: readonly string[], flags: LintFlags, dependencies: ProgramDependencies): Promise<void> {
  const { stdout, stderr, env } = dependencies;
  const request = {
    kubeVersion: kubeVersionOf(flags),
    namespace: namespaceOf(flags, env),
    strict: flags.strict ?? false,
    quiet: flags.quiet ?? false,
    withSubcharts: flags.withSubcharts ?? false,
    skipSchemaValidation: flags.skipSchemaValidation ?? false,
    values: () => mergeValueFlags(flags, (path) => dependencies.readFile(path)),
    helm: helmLog((line) => stderr.write(line)),
  };
  const createRenderer = () => dependencies.createRenderer({ allowNunjucks: flags.allowNunjucks ?? false });
  const { text, failure } = await lintCharts(paths, request, createRenderer);
  stdout.write(text);
  if (failure !== undefined) throw new Error(failure);
}
