import type { ChartContent } from '../chart/load/chart-content.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Hook } from '../release/hook.ts';
import type { StoredChart } from '../release/stored-chart.ts';
import type { RenderRequest } from './render-request.ts';

/** Values for a release that are not read here. */
export interface ReleaseValues {
  /** YAML text of a command. Default: none. */
  readonly yaml?: string | undefined;
  /** Values of a stored revision, which are used if the text has none. Default: none. */
  readonly stored?: Readonly<Record<string, unknown>> | undefined;
}

/** A chart to render for a release, with its options. */
export interface ReleaseRenderRequest extends Pick<
  RenderRequest,
  'release' | 'capabilities' | 'lookup' | 'options' | 'postRender' | 'postRenderStrategy'
> {
  chart: ChartContent;
  values: ReleaseValues;
}

/** A rendered chart as a revision stores it. */
export interface RenderedRelease {
  /** The chart with its dependencies processed. */
  chart: StoredChart;
  /** Values given by the user. */
  config: Record<string, unknown>;
  /** All manifests but hooks, in installation order. */
  manifest: string;
  /** Number of documents in {@link manifest}. */
  manifestCount: number;
  hooks: Hook[];
  /** Text of NOTES.txt. Empty if the chart has none. */
  notes: string;
  /** Warnings that Helm logs while it merges values. */
  warnings: string[];
}

/** One object of a manifest. */
export interface ManifestObject {
  object: KubeObject;
  /** Path of the template that rendered it; `manifest` if the manifest does not name it. */
  source: string;
}

/** A file of a chart's crds/ folder. */
export interface CrdManifest {
  /** Path in the chart, such as `crds/widgets.yaml`. */
  name: string;
  objects: ManifestObject[];
}

/**
 * Reads and renders charts for releases without blocking the caller. Errors have a `code`, and a
 * `position` if a template causes them.
 */
export interface ReleaseRenderer {
  /** Returns the CRDs of the chart, then of the subcharts that these values enable. */
  crds(chart: ChartContent, values: ReleaseValues, signal: AbortSignal): Promise<CrdManifest[]>;
  render(request: ReleaseRenderRequest, signal: AbortSignal): Promise<RenderedRelease>;
  /**
   * Returns the objects of a manifest; a `List` counts as its items. An object whose name is
   * generated
   * by the API server has an empty one. Throws `invalid_manifest` with a message that begins with
   * `prefix`.
   */
  readObjects(manifest: string, prefix: string, signal: AbortSignal): Promise<readonly ManifestObject[]>;
}
