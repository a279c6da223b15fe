import type { Chart } from './chart.ts';
import { ChartError } from './chart-error.ts';

/**
 * Refuses a chart that cannot be installed: of a type that is there for other charts, or without a chart that it names as a dependency
 * (pkg/cmd/install.go: checkIfInstallable; pkg/action/install.go: CheckDependencies). Throws {@link ChartError} `chart_invalid`.
 */
export function requireInstallable(chart: Chart): void {
  const { type = '', dependencies = [] } = chart.metadata;
  if (type !== '' && type !== 'application') {
    throw new ChartError('chart_invalid', `${type} charts are not installable`);
  }
  const present = new Set(chart.dependencies.map(({ metadata }) => metadata.name));
  const missing = dependencies.map(({ name }) => name).filter((name) => !present.has(name));
  if (missing.length > 0) {
    throw new ChartError(
      'chart_invalid',
      "an error occurred while checking for chart dependencies. You may need to run 'helm dependency build' to fetch missing dependencies: " +
        `found in Chart.yaml, but missing in charts/ directory: ${missing.join(', ')}`,
    );
  }
}
