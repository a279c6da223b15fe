import type { Chart } from '../chart/chart.ts';
import type { Warn } from '../chart/values/coalesce-tables.ts';
import { coalesceValues } from '../chart/values/coalesce.ts';
import { processDependencies } from '../chart/process-dependencies.ts';
import type { SchemaCache } from '../chart/schema/compile-schema.ts';
import { validateValues } from '../chart/values/validate-values.ts';
import type { ValueMap } from '../go/value.ts';
import type { Hook } from '../release/hook.ts';
import type { Capabilities } from './scope/capabilities.ts';
import { chartTemplates, type ReleaseFacts } from './scope/chart-templates.ts';
import { crdFiles, type CrdFile } from './manifest/crds.ts';
import type { Engine } from './engine.ts';
import { requireKubeVersion } from './scope/kube-version-range.ts';
import { defaultRenderLimits, type RenderLimits } from './limits.ts';
import type { LookupTable } from './scope/lookup-table.ts';
import { printManifest, sortManifests, type Manifest } from './manifest/manifest.ts';
import type { RenderNotice } from './notice.ts';
import { takeNotes } from './manifest/notes.ts';
import { unreadableManifest } from './manifest/unreadable-manifest.ts';
import type { Watch } from './watch.ts';

export interface RenderInput {
  /** As it was loaded, with all its subcharts. It is not changed. */
  chart: Chart;
  /** What the user gave. They are not changed. */
  values: ValueMap;
  release: ReleaseFacts;
  capabilities: Capabilities;
  /** Absent where no cluster is asked: `lookup` finds nothing. */
  lookups?: LookupTable;
  options?: RenderOptions;
  /** Takes what Helm logs of templates and hooks. Default: nobody does. */
  notice?: (notice: RenderNotice) => void;
  /** Sees what the render does, and can end it. Default none. */
  watch?: Watch;
  /** What earlier renders compiled of values.schema.json. Default: nothing, and nobody keeps it. */
  schemas?: SchemaCache;
}

export interface RenderOptions {
  /** NOTES.txt of subcharts too. Default false. */
  subchartNotes?: boolean;
  /** Do not hold the values against values.schema.json. Default false. */
  skipSchemaValidation?: boolean;
  /** Texts of schemas by address, which a values.schema.json may refer to. Default: none; nothing is ever fetched. */
  remoteSchemas?: Readonly<Record<string, string>>;
  /** A key that is not there is an error. Default false. */
  strict?: boolean;
  /** `required` and `fail` let pass. Default false. */
  lint?: boolean;
  /** Whether charts may use Nunjucks. Default false. */
  allowNunjucks?: boolean;
  limits?: RenderLimits;
}

export interface Rendered {
  /** The chart with its dependencies processed, as a release stores it. */
  chart: Chart;
  /** In the order of installation, without hooks. */
  manifests: Manifest[];
  /** All manifests as Helm prints and stores them. */
  manifest: string;
  hooks: Hook[];
  /** NOTES.txt; empty where there is none. */
  notes: string;
  /** CRDs of the chart and of its enabled subcharts, the parent's first; they are in no manifest. */
  crds: CrdFile[];
  /** What merging the values found odd: the texts that Helm logs. */
  warnings: string[];
}

/** What templates made, before it is taken apart into manifests and hooks. */
export interface RenderedTemplates extends Pick<Rendered, 'chart' | 'notes' | 'crds' | 'warnings'> {
  /** By path, without NOTES.txt. */
  files: ReadonlyMap<string, string>;
}

/**
 * Renders a chart as Helm does. Throws RenderError, and ValuesError for values that do not fit the chart.
 * Runs in the calling thread: see renderer.ts for one that can be ended.
 */
export function renderChart(input: RenderInput, engine: Engine): Rendered {
  return takenApart(renderTemplates(input, engine), input.notice);
}

/** The first half of {@link renderChart}, up to where a post-renderer comes in. */
export function renderTemplates(input: RenderInput, engine: Engine): RenderedTemplates {
  const { capabilities, options = {} } = input;
  const warnings: string[] = [];
  const warn: Warn = (warning, attributes = {}) => {
    warnings.push([warning, ...Object.entries(attributes).map(([name, value]) => `${name}=${value}`)].join(' '));
  };
  const chart = processDependencies(input.chart, input.values, warn);
  const values = coalesceValues(chart, input.values, warn);
  if (options.skipSchemaValidation !== true)
    validateValues(chart, values, { schemas: input.schemas, remote: options.remoteSchemas });
  requireKubeVersion(chart, capabilities.kubeVersion);

  const files = renderFiles({ ...input, chart, values }, engine);
  const notes = takeNotes(files, chart, options.subchartNotes ?? false);
  return { chart, files, notes, crds: crdFiles(chart), warnings };
}

/** The second half of {@link renderChart}. */
export function takenApart({ files, ...rendered }: RenderedTemplates, notice?: RenderInput['notice']): Rendered {
  const { manifests, hooks } = sortManifests(files, unreadableManifest, notice);
  const manifest = manifests.map(({ name, content }) => printManifest(name, content)).join('');
  return { ...rendered, manifests, manifest, hooks };
}

/**
 * The texts of all templates by path, NOTES.txt among them, whatever they are. Unlike {@link renderChart} it takes a chart whose dependencies are
 * processed, and values that are coalesced and valid. Throws RenderError.
 */
export function renderFiles(input: RenderInput, engine: Engine): Map<string, string> {
  const { chart, values, release, capabilities, lookups, watch, options = {}, notice } = input;
  return engine.render(chartTemplates(chart, values, release, capabilities), {
    limits: options.limits ?? defaultRenderLimits,
    strict: options.strict ?? false,
    lint: options.lint ?? false,
    allowNunjucks: options.allowNunjucks ?? false,
    ...(lookups && { lookups }),
    ...(notice && { notice }),
    ...(watch && { watch }),
  });
}
