import type { Chart } from '../../chart/chart.ts';
import type { ChartMetadata } from '../../chart/metadata/metadata.ts';
import type { Host } from '../../go/host.ts';
import type { Engine } from '../engine.ts';
import { createEngines } from '../engines.ts';
import type { RenderLimits } from '../limits.ts';
import { renderTemplates, splitManifests } from '../render-chart.ts';
import type { RenderPass } from '../render-input.ts';
import { renderInPasses, runPass } from '../render-passes.ts';
import type { RenderedTemplates, RenderResult } from '../render-result.ts';
import { createSchemaCache } from '../schema-cache.ts';
import { resolveCapabilities } from '../scope/capabilities.ts';
import { type RenderChartOptions, renderRequestOf } from './render-chart-options.ts';
import { type RenderedChart, toRenderedChart } from './rendered-chart.ts';

/**
 * A loaded chart. Its templates and schemas stay compiled, so rendering it again, also with other
 * values, does not parse them again.
 */
export class LoadedChart {
  /** Contents of Chart.yaml. */
  readonly metadata: Readonly<ChartMetadata>;
  /** @internal */
  readonly model: Chart;
  readonly #engine: Engine;
  readonly #limits: RenderLimits;
  readonly #schemas = createSchemaCache();

  /** @internal */
  constructor(chart: Chart, host: Host, limits: RenderLimits) {
    this.metadata = chart.metadata;
    this.model = chart;
    this.#engine = createEngines(host, limits);
    this.#limits = limits;
  }

  /**
   * Renders the chart in the calling thread, whose stack limits how deep templates can include each
   * other. Use `createRenderer` for charts that you do not trust. Throws RenderError, ValuesError
   * if the values do not fit the chart, and the errors of `lookup`.
   */
  async render(options: RenderChartOptions = {}): Promise<RenderedChart> {
    const { signal } = options;
    const { capabilities, ...request } = renderRequestOf(this.model, options, this.#limits);
    const pass: RenderPass = {
      ...request,
      capabilities: resolveCapabilities(capabilities, capabilities.helmVersion),
      schemas: this.#schemas,
    };
    const rendered = await renderInPasses<RenderResult, RenderedTemplates>(
      this.metadata.name,
      request,
      // the signal ends the render between two passes
      async (given) => {
        signal?.throwIfAborted();
        return await Promise.resolve(runPass(given, (lookups) => renderTemplates({ ...pass, lookups }, this.#engine)));
      },
      splitManifests,
    );
    return toRenderedChart(rendered);
  }
}
