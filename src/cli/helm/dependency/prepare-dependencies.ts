import { missingDependencies } from '../../../chart/metadata/installable.ts';
import { loadChart } from '../../load-chart.ts';
import type { LocatedChart } from '../../locate-chart.ts';
import type { HelmContext } from '../context.ts';
import type { DependencyOptions } from './dependency-flags.ts';

/** Returns a function that updates the dependencies of a folder's chart if it lacks some. */
export function prepareDependencies(
  options: DependencyOptions,
  context: HelmContext,
): (located: LocatedChart) => Promise<void> {
  return async (located) => {
    if (!('folder' in located)) return;
    const chart = await loadChart(located, context.log.notice);
    if (missingDependencies(chart) === undefined) return;
    const { updateDependencies } = await import('./update-dependencies.ts');
    await updateDependencies(located.folder, options, context);
  };
}
