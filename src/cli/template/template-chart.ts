import type { Chart } from '../../chart/chart.ts';
import { processDependencies } from '../../chart/process-dependencies.ts';
import { coalesceValues } from '../../chart/values/coalesce.ts';
import { ValuesError } from '../../chart/values/values-error.ts';
import { fromBytes } from '../../go/text.ts';
import type { ValueMap } from '../../go/value.ts';
import { printManifest } from '../../render/manifest/documents.ts';
import { RenderError } from '../../render/render-error.ts';
import type { RenderOptions, RenderSettings } from '../../render/render-input.ts';
import { knownApiVersions } from '../../render/scope/api-versions.ts';
import { defaultKubeVersion } from '../../render/scope/capabilities.ts';
import type { ThreadedRenderer } from '../../render/worker/threaded-renderer.ts';
import { type HelmLog, helmLog } from '../helm-log.ts';

export interface TemplateRequest extends Pick<RenderSettings, 'resolveHost'> {
  chart: Chart;
  /** Values from the user. */
  values: ValueMap;
  name: string;
  namespace: string;
  /** Default: {@link defaultKubeVersion}. */
  kubeVersion?: string | undefined;
  /** API versions to add to those that Helm knows. */
  apiVersions?: readonly string[];
  isUpgrade?: boolean;
  includeCrds?: boolean;
  noHooks?: boolean;
  skipTests?: boolean;
  options?: RenderOptions;
}

/** A rendered document, or a file of a crds/ folder. */
export interface Rendered {
  /** Path with the chart's name in front: `web/templates/service.yaml`. */
  path: string;
  content: string;
}

/** The parts of the output of `helm template`, in their order. */
export interface Printed {
  crds: Rendered[];
  manifests: Rendered[];
  hooks: Rendered[];
}

/** The output of `helm template`, its parts, and the notes, which it does not print. */
export interface Templated extends Printed {
  output: string;
  notes: string;
}

/** A chart that cannot be rendered. `message` is what `helm template` prints after `Error: `. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/**
 * Renders a chart as `helm template` does, without a cluster (pkg/cmd/template.go). `log` receives
 * the lines that Helm logs. Throws {@link TemplateError}, errors with a `code`, and nothing else
 * unless there is a bug.
 */
export async function templateChart(
  request: TemplateRequest,
  renderer: Pick<ThreadedRenderer, 'render'>,
  signal: AbortSignal,
  log: (line: string) => void = () => undefined,
): Promise<Templated> {
  const helm = helmLog(log);
  logWarnings(request, helm);
  const rendered = await render(request, renderer, signal, helm);
  const printed: Printed = {
    crds: request.includeCrds
      ? rendered.crds.map(({ filename, data }) => ({ path: filename, content: fromBytes(data) }))
      : [],
    manifests: rendered.manifests.map(({ name, content }) => ({ path: name, content })),
    hooks: rendered.hooks
      .filter(({ events }) => !request.noHooks && !(request.skipTests && events.includes('test')))
      .map(({ path, manifest }) => ({ path, content: manifest })),
  };
  return { ...printed, output: outputOf(printed), notes: rendered.notes };
}

function outputOf({ crds, manifests, hooks }: Printed): string {
  const print = (parts: readonly Rendered[]) => parts.map(({ path, content }) => printManifest(path, content)).join('');
  return `${print([...crds, ...manifests]).trim()}\n${print(hooks)}`;
}

/**
 * Logs the warnings about merging the values. Helm does so before it renders, so they appear even
 * if rendering fails.
 */
function logWarnings(request: TemplateRequest, helm: HelmLog): void {
  coalesceValues(withDependencies(request, helm), request.values, helm.warn);
}

function withDependencies({ chart, values, options }: TemplateRequest, helm: HelmLog): Chart {
  try {
    return processDependencies(chart, values, helm.warn, options?.charts);
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
        ...{ resolveHost: request.resolveHost, notice: helm.rendering },
      },
      signal,
    );
  } catch (error) {
    if (!(error instanceof RenderError) || !isHelmError(error)) throw error;
    throw afterRender(error);
  }
}

/** Returns an error as Helm prints it if rendering had begun. */
export function afterRender(error: Error): TemplateError {
  return new TemplateError(`${error.message}\n\nUse --debug flag to render out invalid YAML`, { cause: error });
}

/** Whether Helm reports this error too. Of the limits, it has only the one for nested includes. */
function isHelmError({ code, message }: RenderError): boolean {
  return code === 'render_limit'
    ? message.endsWith(': unable to execute template')
    : ['render_failed', 'chart_incompatible'].includes(code);
}
