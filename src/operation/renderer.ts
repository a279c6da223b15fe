import type { Chart } from '../chart/chart.ts';
import type { ValueMap } from '../go/value.ts';
import type { Hook } from '../release/hook.ts';
import type { ReleaseFacts } from '../render/scope/chart-templates.ts';
import type { CrdFile } from '../render/manifest/crds.ts';
import type { Manifest } from '../render/manifest/manifest.ts';
import type { PostRender, PostRenderStrategy } from '../render/manifest/post-render.ts';
import type { ClusterCapabilities } from '../objects/cluster.ts';

/**
 * Answers `lookup`: the object; for an empty name, all of the kind as `{apiVersion, kind, metadata, items}`; an empty object
 * where there is none. An empty namespace means all of them, or a cluster-scoped kind.
 */
export type Lookup = (
  apiVersion: string,
  kind: string,
  namespace: string,
  name: string,
) => Promise<Record<string, unknown>>;

export interface RenderRequest {
  /** As it was loaded, with all its subcharts. */
  chart: Chart;
  /** What the user gave. */
  values: ValueMap;
  release: ReleaseFacts;
  capabilities: ClusterCapabilities;
  /** Absent: lookups find nothing. */
  lookup?: Lookup;
  postRender?: PostRender | undefined;
  postRenderStrategy?: PostRenderStrategy | undefined;
}

export interface Rendered {
  /** The chart with its dependencies processed, as the release stores it. */
  chart: Chart;
  /** In the order of installation, without hooks. */
  manifests: Manifest[];
  /** All manifests as the release stores them: `---\n# Source: path\ncontent\n` each. */
  manifest: string;
  hooks: Hook[];
  /** NOTES.txt; empty where there is none. */
  notes: string;
}

/** Turns a chart and values into manifests. Errors carry a `code`, and a `position` where a template is at fault. */
export interface Renderer {
  /** CRDs of the chart and of the subcharts that these values enable, the parent's first. */
  crds(chart: Chart, values: ValueMap, signal: AbortSignal): Promise<CrdFile[]>;
  render(request: RenderRequest, signal: AbortSignal): Promise<Rendered>;
}
