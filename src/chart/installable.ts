import type { Chart } from './chart.ts';
import { ChartError } from './chart-error.ts';

/**
 * Refuses a chart that cannot be installed: of a type that is there for other charts, or without a chart that it names as a dependency. Throws
 * {@link ChartError} `chart_invalid`.
 */
export function requireInstallable(chart: Chart): void {
  requireInstallableType(chart);
  requireDependencies(chart);
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
