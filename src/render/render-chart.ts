import type { Chart } from '../chart/chart.ts';
import { isCompatibleRange } from '../chart/metadata/compatible-range.ts';
import { processDependencies } from '../chart/process-dependencies.ts';
import { coalesceValues } from '../chart/values/coalesce.ts';
import { validateValues } from '../chart/values/validate-values.ts';
import type { Engine } from './engine.ts';
import { defaultRenderLimits } from './limits.ts';
import { crdFiles, printManifest } from './manifest/documents.ts';
import { sortManifests } from './manifest/sort-manifests.ts';
import { unreadableManifest } from './manifest/unreadable.ts';
import { type ValueWarning, warningsInto } from './notice.ts';
import { RenderError } from './render-error.ts';
import type { RenderPass } from './render-input.ts';
import type { RenderedTemplates, RenderResult } from './render-result.ts';
import type { Capabilities } from './scope/capabilities.ts';
import { chartTemplates } from './scope/chart-templates.ts';

/**
 * Renders a chart as Helm does, in the calling thread. See worker/threaded-renderer.ts for renders
 * that can be ended. Throws RenderError, and ValuesError if the values do not fit the chart.
 */
export function renderChart(input: RenderPass, engine: Engine): RenderResult {
  return splitManifests(renderTemplates(input, engine), input.notice);
}

/** First half of {@link renderChart}: everything before a post-renderer is called. */
export function renderTemplates(input: RenderPass, engine: Engine): RenderedTemplates {
  const { capabilities, options = {} } = input;
  const warnings: ValueWarning[] = [];
  const warn = warningsInto(warnings);
  const chart = processDependencies(input.chart, input.values, warn, options.charts);
  const values = coalesceValues(chart, input.values, warn);
  if (options.skipSchemaValidation !== true)
    validateValues(chart, values, { schemas: input.schemas, remote: options.remoteSchemas });
  requireKubeVersion(chart, capabilities);

  const files = renderFiles({ ...input, chart, values }, engine);
  const notes = takeNotes(files, chart, options.subchartNotes ?? false);
  return { chart, files, notes, crds: crdFiles(chart), warnings };
}

/** Second half of {@link renderChart}: splits the rendered files into manifests and hooks. */
export function splitManifests<Parts extends { files: ReadonlyMap<string, string> }>(
  { files, ...parts }: Parts,
  notice?: RenderPass['notice'],
): Omit<Parts, 'files'> & Pick<RenderResult, 'manifests' | 'manifest' | 'hooks'> {
  const { manifests, hooks } = sortManifests(files, unreadableManifest, notice);
  const manifest = manifests.map(({ name, content }) => printManifest(name, content)).join('');
  return { ...parts, manifests, manifest, hooks };
}

/**
 * Returns the texts of all templates by path, including NOTES.txt, without reading them as YAML.
 * Unlike {@link renderChart}, it needs a chart whose dependencies are processed, and values that
 * are coalesced and valid. Throws RenderError.
 */
export function renderFiles(input: RenderPass, engine: Engine): Map<string, string> {
  const { chart, values, release, capabilities, lookups, supervisor, options = {}, notice } = input;
  return engine.render(chartTemplates(chart, values, release, capabilities), {
    limits: options.limits ?? defaultRenderLimits,
    strict: options.strict ?? false,
    lint: options.lint ?? false,
    allowNunjucks: options.allowNunjucks ?? false,
    ...(lookups && { lookups }),
    ...(notice && { notice }),
    ...(supervisor && { supervisor }),
  });
}

const notesFile = 'NOTES.txt';

/**
 * Removes every NOTES.txt from the rendered files and returns the text of the chart's own. With
 * `subchartNotes`, returns all of them, ordered by path (pkg/action/action.go: renderResources,
 * where the order is random).
 */
function takeNotes(files: Map<string, string>, chart: Chart, subchartNotes: boolean): string {
  const paths = [...files.keys()].filter((path) => path.endsWith(notesFile)).sort();
  const own = `${chart.metadata.name}/templates/${notesFile}`;
  let notes = '';
  for (const path of paths) {
    if (subchartNotes || path === own) notes += (notes === '' ? '' : '\n') + (files.get(path) ?? '');
    files.delete(path);
  }
  return notes;
}

/**
 * Throws an error with Helm's text if the chart's `kubeVersion` does not match the cluster's
 * version. Unlike Helm with a live cluster, this ignores vendor suffixes: `>=1.20.0` matches
 * `v1.33.4-gke.1`.
 */
function requireKubeVersion(chart: Chart, { kubeVersion, onRead }: Capabilities): void {
  const range = chart.metadata.kubeVersion;
  if (range === undefined || range === '') return;
  onRead?.();
  const { version, normalized } = kubeVersion;
  if (isCompatibleRange(range, normalized)) return;
  throw new RenderError(
    'chart_incompatible',
    `chart requires kubeVersion: ${range} which is incompatible with Kubernetes ${version}`,
  );
}
