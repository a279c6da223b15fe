import { TaskError } from '../../threads/tasks.ts';
import { createThreadPool } from '../../threads/thread-pool.ts';
import { defaultRenderLimits } from '../limits.ts';
import type { RenderNotice } from '../notice.ts';
import { splitManifests } from '../render-chart.ts';
import { RenderError } from '../render-error.ts';
import type { RenderInput, RenderOptions, RenderSettings } from '../render-input.ts';
import { renderInPasses } from '../render-passes.ts';
import type { RenderedTemplates, RenderResult } from '../render-result.ts';
import { resolveCapabilities } from '../scope/capabilities.ts';
import { defaultHelmVersion, type HelmVersion } from '../scope/helm-version.ts';
import type { Attempt } from './attempt-render.ts';
import { packChart, type Packed, packValues, type RenderTask, type RenderTasks, unpackChart } from './render-tasks.ts';

export interface RendererOptions extends Pick<RenderOptions, 'limits' | 'allowNunjucks'> {
  /** Module that a render thread runs. It calls `serveTasks` with `renderFunctions`. */
  workerUrl: URL;
  /** Renders small charts without a thread (default: all charts need one). */
  attempt?: Attempt;
  /** Number of renders that run at the same time. Default: 1. */
  threads?: number;
  /** Value of `.Capabilities.HelmVersion`. Default: the Helm version that is reproduced. */
  helmVersion?: HelmVersion;
  /** Time that a render that takes too long has to stop, in milliseconds. Default: 3000. */
  graceMs?: number;
}

type FilesSettings = Pick<RenderSettings, 'options' | 'notice'>;

/** Renders charts in its own threads. */
export interface ThreadedRenderer {
  /** Renders a chart. Errors have a `code`, and a `position` if a template causes them. */
  render(request: RenderInput & RenderSettings, signal: AbortSignal): Promise<RenderResult>;
  /**
   * Returns the texts of all templates by path, without a cluster. The dependencies of the chart
   * must be processed, and the values coalesced and valid.
   */
  renderFiles(request: RenderInput & FilesSettings, signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /** Ends the threads. Renders that are running fail. */
  close(): Promise<void>;
}

export function createThreadedRenderer({
  workerUrl,
  limits = defaultRenderLimits,
  threads = 1,
  helmVersion = defaultHelmVersion,
  allowNunjucks = false,
  attempt,
  graceMs,
}: RendererOptions): ThreadedRenderer {
  const pool = createThreadPool<RenderTasks>({ moduleUrl: workerUrl, limits, size: threads, graceMs });

  const taskOf = (request: RenderInput & FilesSettings): RenderTask => ({
    chart: packChart(request.chart),
    values: packValues(request.values),
    release: request.release,
    capabilities: resolveCapabilities(request.capabilities, helmVersion),
    options: { allowNunjucks, ...request.options },
  });

  /** Limits end a thread with `render_limit`. */
  async function perform<Name extends keyof RenderTasks>(
    name: Name,
    task: RenderTasks[Name]['input'],
    signal: AbortSignal,
    notice: RenderSettings['notice'],
  ): Promise<RenderTasks[Name]['output']> {
    const onPart = (part: unknown) => {
      // the thread sends lists of notices only
      if (notice) (part as RenderNotice[]).forEach(notice);
    };
    const output = attempt?.(name, task, onPart);
    if (output !== undefined) return output;
    const subject = `rendering chart ${task.chart.metadata.name}`;
    try {
      return await pool.run(name, task, { signal, subject, onPart });
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      throw new RenderError(error.code, error.message, { position: error.position, cause: error });
    }
  }

  return {
    async render(request, signal) {
      const { chart, notice } = request;
      const task = { ...taskOf(request), forPostRender: request.postRender !== undefined };
      const result = await renderInPasses<Packed<RenderResult>, Packed<RenderedTemplates>>(
        chart.metadata.name,
        request,
        (lookups) => perform('render', { ...task, ...lookups }, signal, notice),
        (templates) => splitManifests(templates, notice),
      );
      return { ...result, chart: unpackChart(result.chart) };
    },
    renderFiles: (request, signal) => perform('renderFiles', taskOf(request), signal, request.notice),
    close: () => pool.close(),
  };
}
