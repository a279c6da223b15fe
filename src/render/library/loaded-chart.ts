import type { Chart } from '../../chart/chart.ts';
import type { ChartMetadata } from '../../chart/metadata/metadata.ts';
import type { Host } from '../../go/host.ts';
import type { Engine } from '../engine.ts';
import { createEngines } from '../engines.ts';
import type { RenderLimits } from '../limits.ts';
import { postRendered } from '../manifest/post-render.ts';
import { renderTemplates, splitManifests } from '../render-chart.ts';
import type { Lookup, RenderInput } from '../render-request.ts';
import type { RenderedTemplates } from '../rendered.ts';
import { createSchemaCache } from '../schema-cache.ts';
import { resolveCapabilities } from '../scope/capabilities.ts';
import { renderWithLookups } from '../scope/lookup-rounds.ts';
import type { LookupResults, LookupTable } from '../scope/lookup-table.ts';
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
    const { lookup, signal, postRender, postRenderStrategy } = options;
    const {
      chart,
      values,
      release,
      capabilities,
      options: settings,
    } = renderRequestOf(this.model, options, this.#limits);
    const input: RenderInput = {
      chart,
      values,
      release,
      capabilities: resolveCapabilities(capabilities, capabilities.helmVersion),
      ...(settings && { options: settings }),
      schemas: this.#schemas,
    };
    const templates = await this.#templates(input, lookup, signal);
    if (postRender === undefined) return toRenderedChart(splitManifests(templates));
    const files = await postRendered(templates.files, postRender, postRenderStrategy);
    return toRenderedChart(splitManifests({ ...templates, files }));
  }

  async #templates(input: RenderInput, lookup?: Lookup, signal?: AbortSignal): Promise<RenderedTemplates> {
    signal?.throwIfAborted();
    if (lookup === undefined) return renderTemplates(input, this.#engine);
    return renderWithLookups(this.metadata.name, { lookup }, (results) => {
      signal?.throwIfAborted();
      return Promise.resolve(this.#pass(input, results));
    });
  }

  #pass(input: RenderInput, results: LookupResults) {
    const lookups: LookupTable = { results, missing: [] };
    try {
      const done = renderTemplates({ ...input, lookups }, this.#engine);
      return lookups.missing.length > 0 ? { missing: lookups.missing } : { done };
    } catch (error) {
      // the template may have failed only because a lookup has not been done yet
      if (lookups.missing.length > 0) return { missing: lookups.missing };
      throw error;
    }
  }
}
