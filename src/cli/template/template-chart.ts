import type { Chart } from '../../chart/chart.ts';
import { coalesceValues } from '../../chart/values/coalesce.ts';
import { processDependencies } from '../../chart/process-dependencies.ts';
import { ValuesError } from '../../chart/values/values-error.ts';
import { fromBytes } from '../../go/text.ts';
import type { ValueMap } from '../../go/value.ts';
import { knownApiVersions } from '../../render/scope/api-versions.ts';
import { defaultKubeVersion } from '../../render/scope/capabilities.ts';
import { printManifest } from '../../render/manifest/manifest.ts';
import type { RenderOptions } from '../../render/render-chart.ts';
import { RenderError } from '../../render/render-error.ts';
import type { ThreadedRenderer } from '../../render/renderer.ts';
import { helmLog, type HelmLog } from '../helm-log.ts';

export interface TemplateRequest {
  chart: Chart;
  /** What the user gave. */
  values: ValueMap;
  name: string;
  namespace: string;
  /** Default {@link defaultKubeVersion}. */
  kubeVersion?: string | undefined;
  /** Besides those that Helm knows. */
  apiVersions?: readonly string[];
  isUpgrade?: boolean;
  includeCrds?: boolean;
  noHooks?: boolean;
  skipTests?: boolean;
  options?: RenderOptions;
}

/** What `helm template` prints, and the notes that it does not print. */
export interface Templated {
  output: string;
  notes: string;
}

/** A chart that cannot be rendered. `message` is what `helm template` says after `Error: `. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/**
 * Renders a chart as `helm template` does, without a cluster (pkg/cmd/template.go). `log` takes the lines that Helm logs.
 * Throws {@link TemplateError}; anything else thrown has a `code`, or is a defect.
 */
export async function templateChart(
  request: TemplateRequest,
  renderer: Pick<ThreadedRenderer, 'render'>,
  signal: AbortSignal,
  log: (line: string) => void = () => undefined,
): Promise<Templated> {
  const helm = helmLog(log);
  logWarnings(request.chart, request.values, helm);
  const rendered = await render(request, renderer, signal, helm);
  const crds = rendered.crds.map(({ filename, data }) => printManifest(filename, fromBytes(data)));
  const manifest = [...(request.includeCrds ? crds : []), rendered.manifest].join('').trim();
  const hooks = rendered.hooks
    .filter(({ events }) => !request.noHooks && !(request.skipTests && events.includes('test')))
    .map(({ path, manifest: text }) => printManifest(path, text));
  return { output: `${manifest}\n${hooks.join('')}`, notes: rendered.notes };
}

/** Logs what merging the values warns of, which Helm does before it renders, and so where rendering fails, too. */
function logWarnings(chart: Chart, values: ValueMap, helm: HelmLog): void {
  coalesceValues(withDependencies(chart, values, helm), values, helm.warn);
}

function withDependencies(chart: Chart, values: ValueMap, helm: HelmLog): Chart {
  try {
    return processDependencies(chart, values, helm.warn);
  } catch (error) {
    if (!(error instanceof ValuesError)) throw error;
    helm.error('chart dependencies processing failed', error.message);
    throw new TemplateError(`chart dependencies processing failed: ${error.message}`, { cause: error });
  }
}

async function render(
  request: TemplateRequest,
  renderer: Pick<ThreadedRenderer, 'render'>,
  signal: AbortSignal,
  helm: HelmLog,
) {
  const { chart, values, name, namespace, kubeVersion = defaultKubeVersion, apiVersions = [] } = request;
  const isUpgrade = request.isUpgrade ?? false;
  try {
    return await renderer.render(
      {
        chart,
        values,
        release: { name, namespace, revision: 1, isInstall: !isUpgrade, isUpgrade },
        capabilities: { version: { gitVersion: kubeVersion }, apiVersions: [...knownApiVersions, ...apiVersions] },
        ...(request.options && { options: request.options }),
        notice: helm.rendering,
      },
      signal,
    );
  } catch (error) {
    if (!(error instanceof RenderError) || !isOfHelm(error)) throw error;
    throw new TemplateError(`${error.message}\n\nUse --debug flag to render out invalid YAML`, { cause: error });
  }
}

/** Whether Helm fails there, too: of the limits it has that of includes alone. */
function isOfHelm({ code, message }: RenderError): boolean {
  return code === 'render_limit'
    ? message.endsWith(': unable to execute template')
    : ['render_failed', 'chart_incompatible'].includes(code);
}
