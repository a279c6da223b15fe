import { TaskError } from '../../threads/tasks.ts';
import { createThreadPool } from '../../threads/thread-pool.ts';
import { defaultRenderLimits } from '../limits.ts';
import { postRendered } from '../manifest/post-render.ts';
import { splitManifests } from '../render-chart.ts';
import { RenderError } from '../render-error.ts';
import type { RenderOptions, RenderRequest } from '../render-request.ts';
import type { Rendered, RenderedTemplates } from '../rendered.ts';
import { defaultHelmVersion, type HelmVersion, resolveCapabilities } from '../scope/capabilities.ts';
import { renderWithLookups } from '../scope/lookup-rounds.ts';
import {
  packChart,
  packValues,
  type RenderOutcome,
  type RenderReply,
  type RenderTask,
  type RenderTasks,
  unpackChart,
} from './render-tasks.ts';

export interface RendererOptions extends Pick<RenderOptions, 'limits' | 'allowNunjucks'> {
  /** Module that a render thread runs. It calls `serveTasks` with `renderFunctions`. */
  workerUrl: URL;
  /**
   * Renders small charts without a thread. Returns undefined for a chart that needs one.
   * Default: all charts need one.
   */
  attempt?: (task: RenderTask) => RenderReply | undefined;
  /** Number of renders that run at the same time. Default: 1. */
  threads?: number;
  /** Value of `.Capabilities.HelmVersion`. Default: the Helm version that is reproduced. */
  helmVersion?: HelmVersion;
  /** Time that a render that takes too long has to stop, in milliseconds. Default: 3000. */
  graceMs?: number;
}

type FilesRequest = Omit<RenderRequest, 'lookup' | 'resolveHost' | 'postRender' | 'postRenderStrategy'>;

/** Renders charts in its own threads. */
export interface ThreadedRenderer {
  /** Renders a chart. Errors have a `code`, and a `position` if a template causes them. */
  render(request: RenderRequest, signal: AbortSignal): Promise<Rendered>;
  /**
   * Returns the texts of all templates by path, without a cluster. The dependencies of the chart
   * must be processed, and the values coalesced and valid.
   */
  renderFiles(request: FilesRequest, signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
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

  function pack(request: FilesRequest, output: RenderTask['output']): RenderTask {
    return {
      chart: packChart(request.chart),
      values: packValues(request.values),
      release: request.release,
      capabilities: resolveCapabilities(request.capabilities, helmVersion),
      options: { allowNunjucks, ...request.options },
      output,
    };
  }

  async function render(request: RenderRequest, signal: AbortSignal): Promise<Rendered> {
    const { postRender, postRenderStrategy } = request;
    if (postRender === undefined) return renderedFrom(await run(pack(request, 'rendered'), request, signal));
    const templates = templatesFrom(await run(pack(request, 'templates'), request, signal));
    const files = await postRendered(templates.files, postRender, postRenderStrategy);
    return splitManifests({ ...templates, files }, request.notice);
  }

  /** Limits end a thread with `render_limit`. */
  async function perform(task: RenderTask, signal: AbortSignal): Promise<RenderReply> {
    const reply = attempt?.(task);
    if (reply !== undefined) return reply;
    const subject = `rendering chart ${task.chart.metadata.name}`;
    try {
      return await pool.run('render', task, { signal, subject });
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      throw new RenderError(error.code, error.message, { position: error.position, cause: error });
    }
  }

  async function run(
    packed: RenderTask,
    { chart, lookup, resolveHost, notice }: RenderRequest,
    signal: AbortSignal,
  ): Promise<RenderOutcome> {
    if (lookup === undefined && resolveHost === undefined) return forwardNotices(await perform(packed, signal), notice);
    const resolvesHosts = resolveHost !== undefined;
    return renderWithLookups(chart.metadata.name, { lookup, resolveHost }, async (results) => {
      const reply = await perform({ ...packed, lookups: results, resolvesHosts }, signal);
      return reply.type === 'missing' ? { missing: reply.lookups } : { done: forwardNotices(reply, notice) };
    });
  }

  return {
    render,
    async renderFiles(request, signal) {
      const outcome = forwardNotices(await perform(pack(request, 'files'), signal), request.notice);
      return outcome.type === 'files' ? outcome.files : throwFailure(outcome);
    },
    close: () => pool.close(),
  };
}

/** Passes on what was logged, also when the outcome is a failure. */
function forwardNotices({ notices, ...outcome }: RenderReply, notice: RenderRequest['notice']): RenderOutcome {
  if (notice) notices.forEach(notice);
  return outcome;
}

function renderedFrom(outcome: RenderOutcome): Rendered {
  if (outcome.type !== 'rendered') return throwFailure(outcome);
  return { ...outcome.rendered, chart: unpackChart(outcome.rendered.chart) };
}

function templatesFrom(outcome: RenderOutcome): RenderedTemplates {
  if (outcome.type !== 'templates') return throwFailure(outcome);
  return { ...outcome.templates, chart: unpackChart(outcome.templates.chart) };
}

function throwFailure(outcome: RenderOutcome): never {
  switch (outcome.type) {
    case 'failed':
      throw new RenderError(outcome.code, outcome.message, { position: outcome.position });
    case 'defect':
      throw outcome.error;
    case 'missing':
      throw new Error('a render without a cluster asked for objects');
    case 'rendered':
    case 'templates':
    case 'files':
      throw new Error(`unexpected reply of a render thread: ${outcome.type}`);
  }
}
