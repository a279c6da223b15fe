import type { Chart } from '../chart.ts';
import { ChartError } from '../chart-error.ts';

/**
 * Rejects a chart that cannot be installed: an unknown apiVersion, a library chart, or a missing
 * dependency. Throws {@link ChartError} `chart_invalid`.
 */
export function requireInstallable(chart: Chart): void {
  const problem = formatProblem(chart.metadata.apiVersion);
  if (problem !== undefined) throw new ChartError('chart_invalid', problem);
  requireInstallableType(chart);
  requireDependencies(chart);
}

/**
 * Returns Helm's error for an apiVersion other than v1 and v2; an empty one counts as v1
 * (pkg/chart/loader/load.go).
 */
export function formatProblem(apiVersion: string): string | undefined {
  if (['', 'v1', 'v2'].includes(apiVersion)) return undefined;
  return apiVersion === 'v3' ? 'invalid chart apiVersion' : 'unsupported chart version';
}

/** Checks the chart's type (pkg/cmd/install.go: checkIfInstallable). */
export function requireInstallableType({ metadata: { type = '' } }: Chart): void {
  if (type === '' || type === 'application') return;
  throw new ChartError('chart_invalid', `${type} charts are not installable`);
}

/** Checks that charts/ contains all dependencies (pkg/action/install.go: CheckDependencies). */
export function requireDependencies(chart: Chart): void {
  const problem = missingDependencies(chart);
  if (problem === undefined) return;
  throw new ChartError(
    'chart_invalid',
    `an error occurred while checking for chart dependencies. You may need to run 'helm dependency build' to fetch missing dependencies: ${problem}`,
  );
}

/** Returns Helm's error if charts/ does not contain all dependencies. */
export function missingDependencies(chart: Chart): string | undefined {
  const present = new Set(chart.dependencies.map(({ metadata }) => metadata.name));
  const wanted = (chart.metadata.dependencies ?? []).map(({ name }) => name);
  const missing = wanted.filter((name) => !present.has(name));
  if (missing.length === 0) return undefined;
  return `found in Chart.yaml, but missing in charts/ directory: ${missing.join(', ')}`;
}
