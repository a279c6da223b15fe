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
}

/** Adds `lint`: what `helm lint` prints. */
export function addLint(program: Command, dependencies: ProgramDependencies): void {
  const command = program
    .command('lint')
    .description('Examine a chart for what may be wrong with it, as helm lint does')
    .argument('<chart...>', 'a directory or an archive; more than one may be given')
    .option('-n, --namespace <namespace>', 'the namespace that templates are told of; default where absent');
  addValueOptions(command);
  command
    .option('--kube-version <version>', 'the Kubernetes version that the chart is told of')
    .option('--strict', 'fail on warnings, too')
    .option('--quiet', 'print warnings and errors only')
    .option('--with-subcharts', 'lint the charts below charts/, too')
    .option('--skip-schema-validation', 'do not hold the values against values.schema.json')
    .option('--allow-nunjucks', 'render charts that are written for Nunjucks')
    .addHelpText(
      'after',
      `
Examples:
  helm-agent lint ./web
  helm-agent lint ./web --strict --with-subcharts -f values.yaml`,
    )
    .action(async (paths: string[], flags: LintFlags & { allowNunjucks?: boolean }) => {
      await lint(paths, flags, dependencies);
    });
  refuseHelmFlags(command);
}

async function lint(
  given: readonly string[],
  flags: LintFlags & { allowNunjucks?: boolean },
  dependencies: ProgramDependencies,
): Promise<void> {
  const { stdout, stderr, env } = dependencies;
  const kubeVersion = kubeVersionOf(flags);
  const below = flags.withSubcharts ? await Promise.all(given.map(subchartPaths)) : [];
  const paths = [...given, ...below.flat()];
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
      if (!flags.quiet || isWorse(result)) stdout.write(resultText(path, result, flags.quiet ?? false));
    }
  } finally {
    await renderer.close();
  }
  const failed = results.filter((result) => isFailure(result, flags.strict ?? false)).length;
  const summary = `${paths.length} chart(s) linted, ${failed} chart(s) failed`;
  if (failed > 0) throw new Error(summary);
  if (!flags.quiet || results.some(isWorse)) stdout.write(`${summary}\n`);
}

function resultText(path: string, result: LintResult, quiet: boolean): string {
  const head = `==> Linting ${path}\n`;
  if ('problem' in result) return `${head}Error ${result.problem}\n\n`;
  const shown = result.findings.filter(({ severity }) => !quiet || severity !== 'INFO');
  return `${head}${shown.map(findingLine).join('')}\n`;
}

/** Whether there is more than information. */
function isWorse(result: LintResult): boolean {
  return 'problem' in result || result.findings.some(({ severity }) => severity !== 'INFO');
}

function isFailure(result: LintResult, strict: boolean): boolean {
  if ('problem' in result) return true;
  return result.findings.some(({ severity }) => severity === 'ERROR' || (strict && severity === 'WARNING'));
}
