import type { Chart } from '../../chart/chart.ts';
import type { ChartMetadata } from '../../chart/metadata/metadata.ts';
import type { Host } from '../../go/host.ts';
import { createSchemaCache } from '../worker/schema-cache.ts';
import type { Engine } from '../engine.ts';
import { createEngines } from '../engines.ts';
import type { RenderLimits } from '../limits.ts';
import { withLookups } from '../scope/lookup-rounds.ts';
import type { LookupAnswers, LookupTable } from '../scope/lookup-table.ts';
import { postRendered } from '../manifest/post-render.ts';
import { renderTemplates, takenApart, type RenderedTemplates } from '../render-chart.ts';
import { questionOf, type RenderChartOptions, type RenderQuestion } from './render-options.ts';
import { shown, type RenderedChart } from './rendered-chart.ts';

/** A chart that was loaded. It keeps its templates and schemas compiled: rendering it again, with whatever values, parses nothing again. */
export class LoadedChart {
  /** Chart.yaml. */
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
   * Renders the chart in the calling thread, whose stack bounds how deep templates may include each other. For charts that nobody trusts, see `createRenderer`.
   * Throws RenderError, and ValuesError for values that do not fit the chart; what `lookup` throws goes on.
   */
  async render(options: RenderChartOptions = {}): Promise<RenderedChart> {
    const templates = await this.#templates(questionOf(this.model, options, this.#limits), options);
    const { postRender, postRenderStrategy } = options;
    if (postRender === undefined) return shown(takenApart(templates));
    return shown(
      takenApart({ ...templates, files: await postRendered(templates.files, postRender, postRenderStrategy) }),
    );
  }

  async #templates(question: RenderQuestion, { lookup, signal }: RenderChartOptions): Promise<RenderedTemplates> {
    signal?.throwIfAborted();
    if (lookup === undefined) return renderTemplates({ ...question, schemas: this.#schemas }, this.#engine);
    return withLookups(this.model, lookup, (answers) => {
      signal?.throwIfAborted();
      return Promise.resolve(this.#attempt(question, answers));
    });
  }

  #attempt(question: RenderQuestion, answers: LookupAnswers) {
    const lookups: LookupTable = { answers, missing: [] };
    try {
      const done = renderTemplates({ ...question, lookups, schemas: this.#schemas }, this.#engine);
      return lookups.missing.length > 0 ? { missing: lookups.missing } : { done };
    } catch (error) {
      // a template may fail only because it saw nothing yet
      if (lookups.missing.length > 0) return { missing: lookups.missing };
      throw error;
    }
  }
}
