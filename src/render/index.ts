import { extname } from 'node:path';
import type { Host } from '../go/host.ts';
import { chartFrom, type ChartSource, type ChartSourceOptions } from './library/chart-source.ts';
import { LoadedChart } from './library/loaded-chart.ts';
import type { RenderChartOptions } from './library/render-options.ts';
import type { RenderedChart } from './library/rendered-chart.ts';
import { chartRenderer, type ChartRenderer, type ChartRendererOptions } from './library/chart-renderer.ts';
import { defaultRenderLimits, type RenderLimits } from './limits.ts';
import { processHost } from './process-host.ts';

export type { ChartMetadata } from '../chart/metadata/metadata.ts';
export { ChartError } from '../chart/chart-error.ts';
export type { ChartLimits } from '../chart/limits.ts';
export { ValuesError } from '../chart/values/values-error.ts';
export type { Host } from '../go/host.ts';
export { knownApiVersions } from './scope/api-versions.ts';
export type { HelmVersion } from './scope/capabilities.ts';
export { defaultRenderLimits };
export type { RenderLimits };
export type { Lookup } from './scope/lookup-rounds.ts';
export type { PostRender, PostRenderStrategy } from './manifest/post-render.ts';
export { RenderError, type RenderPosition } from './render-error.ts';
export type { ChartRenderer, ChartRendererOptions } from './library/chart-renderer.ts';
export type { ChartSource, ChartSourceOptions } from './library/chart-source.ts';
export type { GivenValues, ValueInput } from './library/given-values.ts';
export type { LoadedChart } from './library/loaded-chart.ts';
export type { RenderChartOptions } from './library/render-options.ts';
export type { RenderedChart, RenderedFile, RenderedHook, RenderedManifest } from './library/rendered-chart.ts';

export interface LoadChartOptions extends ChartSourceOptions {
  /** The clock, randomness and time zone that templates get. Default the real ones. With a host of one's own the same chart and values give the same bytes. */
  host?: Host;
  /** How far each render of the chart may go. Time and memory are limited in a renderer's threads only. Default {@link defaultRenderLimits}. */
  limits?: Partial<RenderLimits>;
}

/**
 * Loads a chart, to render it as often as wanted:
 *
 *     const chart = await loadChart('./charts/web');
 *     const { manifest } = await chart.render({ values: { replicas: 3 } });
 *
 * Throws ChartError; errors of the file system and of a stream as they come.
 */
export async function loadChart(source: ChartSource, options: LoadChartOptions = {}): Promise<LoadedChart> {
  return new LoadedChart(await chartFrom(source, options), options.host ?? processHost(), {
    ...defaultRenderLimits,
    ...options.limits,
  });
}

/**
 * Renders a chart as `helm template` does, byte for byte, in the calling thread:
 *
 *     const { manifest, hooks, notes } = await renderChart('./charts/web', { release: { name: 'shop' }, set: ['replicas=3'] });
 *
 * A chart that is rendered more than once should be loaded first: see {@link loadChart}, whose options and errors are those of loading here. Throws
 * RenderError, and ValuesError for values that do not fit the chart.
 */
export async function renderChart(
  chart: ChartSource | LoadedChart,
  options: RenderChartOptions & LoadChartOptions = {},
): Promise<RenderedChart> {
  const loaded = chart instanceof LoadedChart ? chart : await loadChart(chart, options);
  return loaded.render(options);
}

/**
 * A renderer with threads of its own, for charts that nobody trusts: no template can stall the calling thread, read the environment, or take more time and
 * memory than the limits allow, and templates may include each other as deep as in Helm.
 *
 *     await using renderer = createRenderer({ limits: { milliseconds: 10_000 } });
 *     const { manifest } = await renderer.render(await loadChart(upload));
 *
 * Its threads do not keep the process alive.
 */
export function createRenderer(options: ChartRendererOptions = {}): ChartRenderer {
  const workerUrl = new URL(`../bin/render-worker${extname(import.meta.url)}`, import.meta.url);
  return chartRenderer(options, workerUrl, (source) => loadChart(source));
}
