import { defaultRenderLimits, type RenderLimits } from '../limits.ts';
import { createThreadedRenderer } from '../worker/threaded-renderer.ts';
import type { ChartInput } from './chart-input.ts';
import { LoadedChart } from './loaded-chart.ts';
import { type RenderChartOptions, renderRequestOf } from './render-chart-options.ts';
import { type RenderedChart, toRenderedChart } from './rendered-chart.ts';

export interface ChartRendererOptions {
  /** Number of charts that render at the same time; others wait. Default: 1. */
  threads?: number;
  /**
   * Limits of each render; past one it fails with `render_limit`. Default: `defaultRenderLimits`.
   */
  limits?: Partial<RenderLimits>;
}

/** Renders charts in its own threads, which keep recently used charts compiled. */
export interface ChartRenderer extends AsyncDisposable {
  /**
   * Renders a chart. `postRender` and `lookup` are called in the calling thread. The limits and the
   * host of a loaded chart are not used. Throws RenderError (also with the code `values_invalid`),
   * and the errors of loading, of `lookup` and of the signal.
   */
  render(chart: ChartInput | LoadedChart, options?: RenderChartOptions): Promise<RenderedChart>;
  /** Ends the threads. Renders that are running fail. */
  close(): Promise<void>;
}

export function chartRenderer(
  { threads = 1, limits: given }: ChartRendererOptions,
  workerUrl: URL,
  load: (input: ChartInput) => Promise<LoadedChart>,
): ChartRenderer {
  const limits = { ...defaultRenderLimits, ...given };
  const renderer = createThreadedRenderer({ workerUrl, threads, limits });
  return {
    async render(chart, options = {}) {
      const { model } = chart instanceof LoadedChart ? chart : await load(chart);
      const { signal = new AbortController().signal } = options;
      return toRenderedChart(await renderer.render(renderRequestOf(model, options, limits), signal));
    },
    close: () => renderer.close(),
    [Symbol.asyncDispose]: () => renderer.close(),
  };
}
