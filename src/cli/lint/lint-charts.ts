import type { ValueMap } from '../../go/value.ts';
import { findingLine } from '../../lint/finding.ts';
import { lintPath, type LintResult, subchartPaths } from '../../lint/lint-path.ts';
import type { ThreadedRenderer } from '../../render/worker/threaded-renderer.ts';
import type { HelmLog } from '../helm-log.ts';

/** How charts are linted, as the flags of `helm lint` say it. */
export interface LintRequest {
  /** In Helm's form. */
  kubeVersion: string | undefined;
  namespace: string;
  /** Whether to fail on warnings. */
  strict: boolean;
  /** Whether to print only warnings and errors. */
  quiet: boolean;
  withSubcharts: boolean;
  skipSchemaValidation: boolean;
  /** Reads and merges the values. */
  values: () => Promise<ValueMap>;
  helm: HelmLog;
}

/**
 * Lints charts, given by their paths. Returns what `helm lint` prints, and its error if a chart
 * fails. Throws an error if the values cannot be merged.
 */
export async function lintCharts(
  given: readonly string[],
  { withSubcharts, quiet, strict, values, ...options }: LintRequest,
  createRenderer: () => Promise<ThreadedRenderer>,
): Promise<{ text: string; failure?: string }> {
  const subcharts = withSubcharts ? await Promise.all(given.map(subchartPaths)) : [];
  const paths = [...given, ...subcharts.flat()];
  const merged = await values();
  const renderer = await createRenderer();
  const results: LintResult[] = [];
  let text = '';
  try {
    for (const path of paths) {
      const result = await lintPath(path, { ...options, values: merged, renderer });
      results.push(result);
      if (!quiet || hasProblem(result)) text += resultText(path, result, quiet);
    }
  } finally {
    await renderer.close();
  }
  const failed = results.filter((result) => isFailure(result, strict)).length;
  const summary = `${paths.length} chart(s) linted, ${failed} chart(s) failed`;
  if (failed > 0) return { text, failure: summary };
  return { text: !quiet || results.some(hasProblem) ? `${text}${summary}\n` : text };
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
