import type { ChartLimits } from '../../chart/limits.ts';
import { requireDependencies, requireInstallableType } from '../../chart/metadata/installable.ts';
import { loadChart, type LocatedChart, requireKnownFormat } from '../../downloader/index.ts';
import type { ValueMap } from '../../go/value.ts';
import type { ThreadedRenderer } from '../../render/worker/threaded-renderer.ts';
import type { HelmLog } from '../helm-log.ts';
import { requireReleaseName } from './release-name.ts';
import { templateChart, type Templated, type TemplateRequest } from './template-chart.ts';

export interface ChartToRender extends Omit<TemplateRequest, 'chart' | 'values' | 'options'> {
  locate: () => Promise<LocatedChart>;
  values: () => Promise<ValueMap>;
  skipSchemaValidation: boolean;
  /** Called if the chart is found, before its dependencies are checked. Default: no call. */
  prepare?: (located: LocatedChart) => Promise<void>;
  limits?: ChartLimits;
}

/**
 * Performs the steps of `helm template` in Helm's order, so that of several errors the same one is
 * reported, and returns its output. `write` receives the lines that Helm logs.
 */
export async function renderChart(
  { locate, values, skipSchemaValidation, prepare, limits, ...rest }: ChartToRender,
  createRenderer: () => Promise<ThreadedRenderer>,
  helm: HelmLog,
  write: (line: string) => void,
): Promise<Templated> {
  const located = await locate();
  const merged = await values();
  await requireKnownFormat(located);
  await prepare?.(located);
  const chart = await loadChart(located, helm.notice, limits);
  requireInstallableType(chart);
  if (chart.metadata.deprecated) helm.deprecated();
  requireDependencies(chart);
  requireReleaseName(rest.name, helm);
  const options = { skipSchemaValidation, ...(limits && { charts: limits.charts }) };
  const renderer = await createRenderer();
  try {
    const request = { ...rest, chart, values: merged, options };
    return await templateChart(request, renderer, new AbortController().signal, write);
  } finally {
    await renderer.close();
  }
}
