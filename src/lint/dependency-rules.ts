import type { Chart } from '../chart/chart.ts';
import type { Report } from './finding.ts';

/**
 * Lints the dependencies of a chart (pkg/chart/v2/lint/rules/dependencies.go).
 * @param folder path of the chart
 */
export function lintDependencies(chart: Chart, folder: string, report: Report): void {
  const wanted = chart.metadata.dependencies ?? [];
  const named = new Set(wanted.map(({ name }) => name));
  const present = chart.dependencies.map(({ metadata }) => metadata.name);
  report(
    'ERROR',
    folder,
    listed(
      'chart metadata is missing these dependencies',
      present.filter((name) => !named.has(name)),
    ),
  );
  // loading a chart checks that names are unique
  const missing = [...wanted.map(({ name }) => name)].filter((name) => !present.includes(name));
  report('WARNING', folder, listed('chart directory is missing these dependencies', missing));
}

function listed(text: string, names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `${text}: ${names.join(',')}`;
}
