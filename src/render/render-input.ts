import type { Chart } from '../chart/chart.ts';
import type { SchemaCache } from '../chart/schema/compile-schema.ts';
import type { ValueMap } from '../go/value.ts';
import type { RenderLimits } from './limits.ts';
import type { PostRender, PostRenderStrategy } from './manifest/post-render.ts';
import type { RenderNotice } from './notice.ts';
import type { RenderSupervisor } from './render-supervisor.ts';
import type { Capabilities, ReportedCapabilities } from './scope/capabilities.ts';
import type { ReleaseFacts } from './scope/chart-templates.ts';
import type { LookupTable } from './scope/lookup-table.ts';

/** The settings that are plain data. */
export interface RenderOptions {
  /** Include NOTES.txt of subcharts. Default: false. */
  subchartNotes?: boolean;
  /** Skip validation of the values against values.schema.json. Default: false. */
  skipSchemaValidation?: boolean;
  /**
   * Texts of the schemas that a values.schema.json may refer to, by address without fragment.
   * Nothing is ever downloaded. Default: none, so references to other hosts and files are errors.
   */
  remoteSchemas?: Readonly<Record<string, string>>;
  /** Fail if a template uses a key that does not exist, as `helm lint` does. Default: false. */
  strict?: boolean;
  /** Do not fail in `required` and `fail`, and let lookups find nothing. Default: false. */
  lint?: boolean;
  /**
   * Allow the chart and its subcharts to use Nunjucks. Default: false, so such a chart fails with
   * `engine_forbidden`.
   */
  allowNunjucks?: boolean;
  /** Limits of one render. Default: `defaultRenderLimits`. */
  limits?: RenderLimits;
  /** Limit of charts, copies under aliases included. Default: 1,000. */
  charts?: number;
}

/**
 * Returns what a template's `lookup` finds: the object; for an empty name, all objects of the kind
 * as `{apiVersion, kind, metadata, items}`; `{}` if there is none. It is plain data, and whole
 * numbers and bigints are int64s. An empty namespace means all namespaces, or a cluster-scoped
 * kind.
 */
export type Lookup = (
  apiVersion: string,
  kind: string,
  namespace: string,
  name: string,
) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>;

/** Returns the addresses of a host for a template's `getHostByName`. Empty if there are none. */
export type ResolveHost = (name: string) => Promise<readonly string[]>;

/** A chart and all that its templates see, by default with the chart and the values loaded. */
export interface RenderInput<ChartForm = Chart, ValuesForm = ValueMap> {
  /** The chart with all its subcharts. It is not changed. */
  chart: ChartForm;
  /** Values given by the user. They are not changed. */
  values: ValuesForm;
  release: ReleaseFacts;
  capabilities: ReportedCapabilities;
}

/** How a chart is rendered. */
export interface RenderSettings {
  /**
   * Called for the templates' `lookup`. The chart is rendered again with the results, up to ten
   * times. Default: lookups find nothing.
   */
  lookup?: Lookup | undefined;
  /** Called for the templates' `getHostByName`. Default: it returns an empty text. */
  resolveHost?: ResolveHost | undefined;
  options?: RenderOptions;
  /** Receives what Helm logs about templates and hooks, also if the render fails. */
  notice?: (notice: RenderNotice) => void;
  /** Changes the rendered manifests, except NOTES.txt. Called in the calling thread. */
  postRender?: PostRender | undefined;
  /** How `postRender` receives hooks. Default: `combined`, as in Helm 4. */
  postRenderStrategy?: PostRenderStrategy | undefined;
}

/** Input and settings as one pass of the engine sees them. */
export interface RenderPass
  extends Pick<RenderInput, 'chart' | 'values' | 'release'>, Pick<RenderSettings, 'options' | 'notice'> {
  capabilities: Capabilities;
  /** Default: lookups find nothing. */
  lookups?: LookupTable | undefined;
  /** Follows the render and can end it. Default: none. */
  supervisor?: RenderSupervisor;
  /** Compiled schemas of earlier renders. Default: schemas are compiled again. */
  schemas?: SchemaCache;
}
