import type { Chart } from '../chart.ts';
import { ChartError } from '../chart-error.ts';

/**
 * Refuses a chart that cannot be installed: of a format that does not exist, of a type that is there for other charts, or without a chart that it names
 * as a dependency. Throws {@link ChartError} `chart_invalid`.
 */
export function requireInstallable(chart: Chart): void {
  const problem = formatProblem(chart.metadata.apiVersion);
  if (problem !== undefined) throw new ChartError('chart_invalid', problem);
  requireInstallableType(chart);
  requireDependencies(chart);
}

/** What Helm says of a format that is not version 1 or 2; an empty one is version 1 (pkg/chart/loader/load.go). */
export function formatProblem(apiVersion: string): string | undefined {
  if (['', 'v1', 'v2'].includes(apiVersion)) return undefined;
  return apiVersion === 'v3' ? 'invalid chart apiVersion' : 'unsupported chart version';
}

/** The first half of {@link requireInstallable} (pkg/cmd/install.go: checkIfInstallable). */
export function requireInstallableType({ metadata: { type = '' } }: Chart): void {
  if (type === '' || type === 'application') return;
  throw new ChartError('chart_invalid', `${type} charts are not installable`);
}

/** The second half of {@link requireInstallable} (pkg/action/install.go: CheckDependencies). */
export function requireDependencies(chart: Chart): void {
  const present = new Set(chart.dependencies.map(({ metadata }) => metadata.name));
  const wanted = (chart.metadata.dependencies ?? []).map(({ name }) => name);
  const missing = wanted.filter((name) => !present.has(name));
  if (missing.length === 0) return;
  throw new ChartError(
    'chart_invalid',
    "an error occurred while checking for chart dependencies. You may need to run 'helm dependency build' to fetch missing dependencies: " +
      `found in Chart.yaml, but missing in charts/ directory: ${missing.join(', ')}`,
  );
}
