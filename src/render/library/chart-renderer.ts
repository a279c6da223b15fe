import { defaultRenderLimits, type RenderLimits } from '../limits.ts';
import { createRenderer } from '../renderer.ts';
import type { ChartSource } from './chart-source.ts';
import { LoadedChart } from './loaded-chart.ts';
import { questionOf, type RenderChartOptions } from './render-options.ts';
import { shown, type RenderedChart } from './rendered-chart.ts';

export interface ChartRendererOptions {
  /** How many charts render at a time; others wait. Default 1. */
  threads?: number;
  /** How far a render may go. Past any limit it is ended with `render_limit`. Default `defaultRenderLimits`. */
  limits?: Partial<RenderLimits>;
}

/** Renders charts in threads of its own; they keep compiled what they rendered last. */
export interface ChartRenderer extends AsyncDisposable {
  /**
   * Renders a chart. `postRender` and `lookup` are called in the calling thread; the limits of a loaded chart do not count, and its host neither. Throws RenderError, ValuesError's code
   * `values_invalid` included, what loading and `lookup` throw, and the signal's reason.
   */
  render(chart: ChartSource | LoadedChart, options?: RenderChartOptions): Promise<RenderedChart>;
  /** Ends the threads; renders that run fail. */
  close(): Promise<void>;
}

export function chartRenderer(
  { threads = 1, limits: given }: ChartRendererOptions,
  workerUrl: URL,
  load: (source: ChartSource) => Promise<LoadedChart>,
): ChartRenderer {
  const limits = { ...defaultRenderLimits, ...given };
  const renderer = createRenderer({ workerUrl, threads, limits });
  return {
    async render(chart, options = {}) {
      const { model } = chart instanceof LoadedChart ? chart : await load(chart);
      const { lookup, postRender, postRenderStrategy, signal = new AbortController().signal } = options;
      const question = questionOf(model, options, limits);
      const { kubeVersion, ...capabilities } = question.capabilities;
      const request = {
        ...question,
        capabilities: { ...capabilities, version: { gitVersion: kubeVersion.version } },
        ...(lookup && { lookup }),
        postRender,
        postRenderStrategy,
      };
      return shown(await renderer.render(request, signal));
    },
    close: () => renderer.close(),
    [Symbol.asyncDispose]: () => renderer.close(),
  };
}
