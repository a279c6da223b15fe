import type { Chart } from '../chart/chart.ts';
import { processDependencies } from '../chart/process-dependencies.ts';
import type { ValueMap } from '../go/value.ts';
import { parseKubeVersion, type Capabilities, type HelmVersion, defaultHelmVersion } from './capabilities.ts';
import type { ReleaseFacts } from './chart-templates.ts';
import { crdFiles, type CrdFile } from './crds.ts';
import { defaultRenderLimits, type RenderLimits } from './limits.ts';
import { lookupId, type LookupKey } from './lookup-table.ts';
import type { Rendered, RenderOptions } from './render-chart.ts';
import { RenderError } from './render-error.ts';
import type { WorkerAnswer, WorkerRequest } from './render-worker-messages.ts';
import { packChart, packValues, unpackChart } from './wire-values.ts';
import { createWorkerPool } from './worker-pool.ts';

/** How often a chart is rendered for the sake of its lookups: what it looks up may depend on what it found. */
const maxLookupRounds = 10;

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
  capabilities: { version: { gitVersion: string; major?: string; minor?: string }; apiVersions: readonly string[] };
  /** Answers `lookup`. Absent: lookups find nothing. */
  lookup?: (
    apiVersion: string,
    kind: string,
    namespace: string,
    name: string,
  ) => Promise<Readonly<Record<string, unknown>>>;
  options?: RenderOptions;
}

/** Renders charts in threads of its own. Errors have a `code`, and a `position` where a template is at fault. */
export interface ThreadedRenderer {
  render(request: RenderRequest, signal: AbortSignal): Promise<Rendered>;
  /** The texts of all templates, without a cluster. The dependencies of the chart must be processed, the values coalesced and valid. */
  renderFiles(request: Omit<RenderRequest, 'lookup'>, signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
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

  function pack(request: Omit<RenderRequest, 'lookup'>): WorkerRequest {
    return {
      chart: packChart(request.chart),
      values: packValues(request.values),
      release: request.release,
      capabilities: capabilitiesOf(request.capabilities, helmVersion),
      options: { limits, allowNunjucks, ...request.options },
    };
  }

  async function render({ lookup, ...request }: RenderRequest, signal: AbortSignal): Promise<Rendered> {
    const packed = pack(request);
    if (lookup === undefined) return resultOf(await pool.ask(packed, signal));

    const lookups = new Map<string, Readonly<Record<string, unknown>>>();
    for (let round = 0; round < maxLookupRounds; round++) {
      const answer = await pool.ask({ ...packed, lookups }, signal);
      if (answer.type !== 'missing') return resultOf(answer);
      await Promise.all(
        distinct(answer.lookups).map(async ([id, key]) => {
          lookups.set(id, await lookup(key.apiVersion, key.kind, key.namespace, key.name));
        }),
      );
    }
    throw new RenderError(
      'render_limit',
      `chart ${request.chart.metadata.name} looks up other objects after each of ${maxLookupRounds} renders; a template must not make up names to look up`,
    );
  }

  return {
    render,
    async renderFiles(request, signal) {
      const answer = await pool.ask({ ...pack(request), filesOnly: true }, signal);
      return answer.type === 'files' ? answer.files : failureOf(answer);
    },
    crds: (chart, values) => Promise.resolve(crdFiles(processDependencies(chart, values, () => undefined))),
    close: () => pool.close(),
  };
}

function distinct(keys: readonly LookupKey[]): [string, LookupKey][] {
  return [...new Map(keys.map((key) => [lookupId(key), key]))];
}

function resultOf(answer: WorkerAnswer): Rendered {
  if (answer.type !== 'rendered') return failureOf(answer);
  return { ...answer.rendered, chart: unpackChart(answer.rendered.chart) };
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
    case 'files':
      throw new Error('a render thread answered another question');
  }
}

function capabilitiesOf(
  { version, apiVersions }: RenderRequest['capabilities'],
  helmVersion: HelmVersion,
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
    helmVersion,
  };
}
