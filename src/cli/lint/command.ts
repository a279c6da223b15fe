import type { Command } from 'commander';
import { addValueOptions } from '../chart-options.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { refuseHelmFlags } from '../helm-flags.ts';
import { helmLog } from '../helm-log.ts';
import { kubeVersionOf, namespaceOf } from '../release-options.ts';
import { mergeValueFlags, type ValueFlags } from '../values.ts';
import { findingLine } from '../../lint/finding.ts';
import { lintPath, subchartPaths, type LintResult } from '../../lint/lint-path.ts';

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

async function lint(given: readonly string[], flags: LintFlags, dependencies: ProgramDependencies): Promise<void> {
  const { stdout, stderr, env } = dependencies;
  const kubeVersion = kubeVersionOf(flags);
  const subcharts = flags.withSubcharts ? await Promise.all(given.map(subchartPaths)) : [];
  const paths = [...given, ...subcharts.flat()];
  const values = await mergeValueFlags(flags, (path) => dependencies.readFile(path));
  const renderer = dependencies.createRenderer({ allowNunjucks: flags.allowNunjucks ?? false });
  const options = {
    values,
    namespace: namespaceOf(flags, env),
    kubeVersion,
    skipSchemaValidation: flags.skipSchemaValidation ?? false,
    renderer,
    helm: helmLog((line) => stderr.write(line)),
  };
  const results: LintResult[] = [];
  try {
    for (const path of paths) {
      const result = await lintPath(path, options);
      results.push(result);
      if (!flags.quiet || hasProblem(result)) stdout.write(resultText(path, result, flags.quiet ?? false));
    }
  } finally {
    await renderer.close();
  }
  const failed = results.filter((result) => isFailure(result, flags.strict ?? false)).length;
  const summary = `${paths.length} chart(s) linted, ${failed} chart(s) failed`;
  if (failed > 0) throw new Error(summary);
  if (!flags.quiet || results.some(hasProblem)) stdout.write(`${summary}\n`);
}

function resultText(path: string, result: LintResult, quiet: boolean): string {
  const head = `==> Linting ${path}\n`;
  if ('problem' in result) return `${head}Error ${result.problem}\n\n`;
  const shown = result.findings.filter(({ severity }) => !quiet || severity !== 'INFO');
  return `${head}${shown.map(findingLine).join('')}\n`;
}

/** Whether there is a warning or an error. */
function hasProblem(result: LintResult): boolean {
  return 'problem' in result || result.findings.some(({ severity }) => severity !== 'INFO');
}

function isFailure(result: LintResult, strict: boolean): boolean {
  if ('problem' in result) return true;
  return result.findings.some(({ severity }) => severity === 'ERROR' || (strict && severity === 'WARNING'));
}
