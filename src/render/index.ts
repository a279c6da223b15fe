import { extname } from 'node:path';
import type { Host } from '../go/host.ts';
import { type ChartInput, type ChartInputOptions, loadChartInput } from './library/chart-input.ts';
import { type ChartRenderer, chartRenderer, type ChartRendererOptions } from './library/chart-renderer.ts';
import { LoadedChart } from './library/loaded-chart.ts';
import type { RenderChartOptions } from './library/render-chart-options.ts';
import type { RenderedChart } from './library/rendered-chart.ts';
import { defaultRenderLimits, type RenderLimits } from './limits.ts';
import { processHost } from './process-host.ts';

export type { ChartMetadata } from '../chart/metadata/metadata.ts';
export { ChartError } from '../chart/chart-error.ts';
export type { ChartLimits } from '../chart/limits.ts';
export { ValuesError } from '../chart/values/values-error.ts';
export type { Host } from '../go/host.ts';
export { knownApiVersions } from './scope/api-versions.ts';
export type { HelmVersion } from './scope/helm-version.ts';
export { defaultRenderLimits };
export type { RenderLimits };
export type { Lookup } from './render-input.ts';
export type { PostRender, PostRenderStrategy } from './manifest/post-render.ts';
export { RenderError, type RenderPosition } from './render-error.ts';
export type { ChartRenderer, ChartRendererOptions } from './library/chart-renderer.ts';
export type { ChartInput, ChartInputOptions } from './library/chart-input.ts';
export type { GivenValues, ValueInput } from './library/given-values.ts';
export type { LoadedChart } from './library/loaded-chart.ts';
export type { RenderChartOptions } from './library/render-chart-options.ts';
export type { RenderedChart, RenderedFile, RenderedHook, RenderedManifest } from './library/rendered-chart.ts';

export interface LoadChartOptions extends ChartInputOptions {
  /**
   * Clock, randomness and time zone for templates. Default: the real ones. With a fixed host, the
   * same chart and values always render to the same bytes.
   */
  host?: Host;
  /**
   * Limits of each render of the chart. Time and memory are limited only in the threads of a
   * renderer. Default: {@link defaultRenderLimits}.
   */
  limits?: Partial<RenderLimits>;
}

/**
 * Loads a chart, which can then be rendered several times:
 *
 *     const chart = await loadChart('./charts/web');
 *     const { manifest } = await chart.render({ values: { replicas: 3 } });
 *
 * Throws ChartError (`chart_not_found` if the path does not exist); other errors of the file system
 * and errors of the stream are thrown unchanged.
 */
export async function loadChart(input: ChartInput, options: LoadChartOptions = {}): Promise<LoadedChart> {
  return new LoadedChart(await loadChartInput(input, options), options.host ?? processHost(), {
    ...defaultRenderLimits,
    ...options.limits,
  });
}

/**
 * Renders a chart as `helm template` does, byte for byte, in the calling thread:
 *
 *     const { manifest, hooks, notes } = await renderChart('./charts/web', {
 *       release: { name: 'shop' },
 *       set: ['replicas=3'],
 *     });
 *
 * To render a chart more than once, load it first with {@link loadChart}. Throws the errors of
 * {@link loadChart}, RenderError, and ValuesError if the values do not fit the chart.
 */
export async function renderChart(
  chart: ChartInput | LoadedChart,
  options: RenderChartOptions & LoadChartOptions = {},
): Promise<RenderedChart> {
  const loaded = chart instanceof LoadedChart ? chart : await loadChart(chart, options);
  return loaded.render(options);
}

/**
 * Creates a renderer with its own threads, for charts that you do not trust. A template cannot
 * block the calling thread, read the environment, or use more time and memory than the limits
 * allow, and templates can include each other as deeply as in Helm.
 *
 *     await using renderer = createRenderer({ limits: { milliseconds: 10_000 } });
 *     const { manifest } = await renderer.render(await loadChart(upload));
 *
 * Its threads do not keep the process alive.
 */
export function createRenderer(options: ChartRendererOptions = {}): ChartRenderer {
  const workerUrl = new URL(`../bin/render-worker${extname(import.meta.url)}`, import.meta.url);
  return chartRenderer(options, workerUrl, (input) => loadChart(input));
}
