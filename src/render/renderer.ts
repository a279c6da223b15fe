import type { Chart } from '../chart/chart.ts';
import { processDependencies } from '../chart/process-dependencies.ts';
import type { ValueMap } from '../go/value.ts';
import { parseKubeVersion, type Capabilities, type HelmVersion, defaultHelmVersion } from './scope/capabilities.ts';
import type { ReleaseFacts } from './scope/chart-templates.ts';
import { crdFiles, type CrdFile } from './manifest/crds.ts';
import { defaultRenderLimits, type RenderLimits } from './limits.ts';
import { withLookups, type Lookup } from './scope/lookup-rounds.ts';
import type { RenderNotice } from './notice.ts';
import { postRendered, type PostRender, type PostRenderStrategy } from './manifest/post-render.ts';
import { takenApart, type Rendered, type RenderedTemplates, type RenderOptions } from './render-chart.ts';
import { RenderError } from './render-error.ts';
import type { WorkerAnswer, WorkerReply, WorkerRequest } from './worker/messages.ts';
import { packChart, packValues, unpackChart } from './worker/wire-values.ts';
import { createWorkerPool } from './worker/pool.ts';

export interface RendererOptions {
  /** The module that a render thread runs: it calls `serveRenders`. */
  workerUrl: URL;
  limits?: RenderLimits;
  /** How many renders run at a time. Default 1. */
  threads?: number;
  /** What `.Capabilities.HelmVersion` says. Default: the Helm whose behaviour is kept. */
  helmVersion?: HelmVersion;
  /** Whether charts may use Nunjucks. Default false. */
  allowNunjucks?: boolean;
}

interface RenderRequest {
  chart: Chart;
  /** What the user gave. */
  values: ValueMap;
  release: ReleaseFacts;
  /** As a cluster or a user says it. */
  capabilities: {
    version: { gitVersion: string; major?: string; minor?: string };
    apiVersions: readonly string[];
    /** Default the renderer's. */
    helmVersion?: HelmVersion;
  };
  /** Answers `lookup`. Absent: lookups find nothing. */
  lookup?: Lookup;
  options?: RenderOptions;
  /** Takes what Helm logs of templates and hooks, where rendering fails, too. Default: nobody does. */
  notice?: (notice: RenderNotice) => void;
  /** Called once, in the calling thread. Default none. */
  postRender?: PostRender | undefined;
  /** Default `combined`. */
  postRenderStrategy?: PostRenderStrategy | undefined;
}

type TemplatesRequest = Omit<RenderRequest, 'lookup' | 'postRender' | 'postRenderStrategy'>;

/** Renders charts in threads of its own. Errors have a `code`, and a `position` where a template is at fault. */
export interface ThreadedRenderer {
  render(request: RenderRequest, signal: AbortSignal): Promise<Rendered>;
  /** The texts of all templates, without a cluster. The dependencies of the chart must be processed, the values coalesced and valid. */
  renderFiles(request: TemplatesRequest, signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /** CRDs of the chart and of the subcharts that these values enable, the parent's first. */
  crds(chart: Chart, values: ValueMap): Promise<CrdFile[]>;
  close(): Promise<void>;
}

export function createRenderer({
  workerUrl,
  limits = defaultRenderLimits,
  threads = 1,
  helmVersion = defaultHelmVersion,
  allowNunjucks = false,
}: RendererOptions): ThreadedRenderer {
  const pool = createWorkerPool({ workerUrl, limits, size: threads });

  function pack(request: TemplatesRequest, wanted: WorkerRequest['wanted']): WorkerRequest {
    return {
      chart: packChart(request.chart),
      values: packValues(request.values),
      release: request.release,
      capabilities: capabilitiesOf(request.capabilities, helmVersion),
      options: { allowNunjucks, ...request.options },
      wanted,
    };
  }

  async function render(request: RenderRequest, signal: AbortSignal): Promise<Rendered> {
    const { postRender, postRenderStrategy } = request;
    if (postRender === undefined) return resultOf(await answered(pack(request, 'rendered'), request, signal));
    const templates = templatesOf(await answered(pack(request, 'templates'), request, signal));
    const files = await postRendered(templates.files, postRender, postRenderStrategy);
    return takenApart({ ...templates, files }, request.notice);
  }

  async function answered(
    packed: WorkerRequest,
    { chart, lookup, notice }: RenderRequest,
    signal: AbortSignal,
  ): Promise<WorkerAnswer> {
    if (lookup === undefined) return noticed(await pool.ask(packed, signal), notice);
    return withLookups(chart, lookup, async (answers) => {
      const answer = await pool.ask({ ...packed, lookups: answers }, signal);
      return answer.type === 'missing' ? { missing: answer.lookups } : { done: noticed(answer, notice) };
    });
  }

  return {
    render,
    async renderFiles(request, signal) {
      const answer = noticed(await pool.ask(pack(request, 'files'), signal), request.notice);
      return answer.type === 'files' ? answer.files : failureOf(answer);
    },
    crds: (chart, values) => Promise.resolve(crdFiles(processDependencies(chart, values, () => undefined))),
    close: () => pool.close(),
  };
}

/** Hands out what was logged, before an answer that is a failure becomes an error. */
function noticed({ notices, ...answer }: WorkerReply, notice: RenderRequest['notice']): WorkerAnswer {
  if (notice) notices.forEach(notice);
  return answer;
}

function resultOf(answer: WorkerAnswer): Rendered {
  if (answer.type !== 'rendered') return failureOf(answer);
  return { ...answer.rendered, chart: unpackChart(answer.rendered.chart) };
}

function templatesOf(answer: WorkerAnswer): RenderedTemplates {
  if (answer.type !== 'templates') return failureOf(answer);
  return { ...answer.templates, chart: unpackChart(answer.templates.chart) };
}

function failureOf(answer: WorkerAnswer): never {
  switch (answer.type) {
    case 'failed':
      throw new RenderError(answer.code, answer.message, { position: answer.position });
    case 'defect':
      throw answer.error;
    case 'missing':
      throw new Error('a render without a cluster asked for objects of it');
    case 'rendered':
    case 'templates':
    case 'files':
      throw new Error('a render thread answered another question');
  }
}

function capabilitiesOf(
  { version, apiVersions, helmVersion }: RenderRequest['capabilities'],
  ownHelmVersion: HelmVersion,
): Capabilities {
  const parsed = parseKubeVersion(version.gitVersion);
  return {
    kubeVersion: {
      version: version.gitVersion,
      normalized: parsed.normalized,
      major: version.major ?? parsed.major,
      minor: version.minor ?? parsed.minor,
    },
    apiVersions,
    helmVersion: helmVersion ?? ownHelmVersion,
  };
}
