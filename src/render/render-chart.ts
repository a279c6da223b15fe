import type { Warn } from '../chart/values/coalesce-tables.ts';
import { coalesceValues } from '../chart/values/coalesce.ts';
import { processDependencies } from '../chart/process-dependencies.ts';
import { validateValues } from '../chart/values/validate-values.ts';
import type { Engine } from './engine.ts';
import { defaultRenderLimits } from './limits.ts';
import { crdFiles } from './manifest/crds.ts';
import { printManifest } from './manifest/documents.ts';
import { takeNotes } from './manifest/notes.ts';
import { sortManifests } from './manifest/sort-manifests.ts';
import { unreadableManifest } from './manifest/unreadable.ts';
import type { RenderInput } from './render-request.ts';
import type { Rendered, RenderedTemplates } from './rendered.ts';
import { chartTemplates } from './scope/chart-templates.ts';
import { requireKubeVersion } from './scope/kube-version-range.ts';

/**
 * Renders a chart as Helm does, in the calling thread. See worker/threaded-renderer.ts for renders
 * that can be ended. Throws RenderError, and ValuesError if the values do not fit the chart.
 */
export function renderChart(input: RenderInput, engine: Engine): Rendered {
  return splitManifests(renderTemplates(input, engine), input.notice);
}

/** First half of {@link renderChart}: everything before a post-renderer is called. */
export function renderTemplates(input: RenderInput, engine: Engine): RenderedTemplates {
  const { capabilities, options = {} } = input;
  const warnings: string[] = [];
  const warn: Warn = (warning, attributes = {}) => {
    warnings.push([warning, ...Object.entries(attributes).map(([name, value]) => `${name}=${value}`)].join(' '));
  };
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
export function splitManifests({ files, ...rendered }: RenderedTemplates, notice?: RenderInput['notice']): Rendered {
  const { manifests, hooks } = sortManifests(files, unreadableManifest, notice);
  const manifest = manifests.map(({ name, content }) => printManifest(name, content)).join('');
  return { ...rendered, manifests, manifest, hooks };
}

/**
 * Returns the texts of all templates by path, including NOTES.txt, without reading them as YAML.
 * Unlike {@link renderChart}, it needs a chart whose dependencies are processed, and values that
 * are coalesced and valid. Throws RenderError.
 */
export function renderFiles(input: RenderInput, engine: Engine): Map<string, string> {
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
