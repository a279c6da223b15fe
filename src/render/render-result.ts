import type { Chart } from '../chart/chart.ts';
import type { Hook } from '../release/hook.ts';
import type { CrdFile } from './manifest/documents.ts';
import type { Manifest } from './manifest/sort-manifests.ts';
import type { ValueWarning } from './notice.ts';

/** Result of a render. */
export interface RenderResult {
  /** The chart with its dependencies processed, as a release stores it. */
  chart: Chart;
  /** Manifests in installation order, without hooks. */
  manifests: Manifest[];
  /** All manifests as Helm prints and stores them: `---\n# Source: path\ncontent\n` each. */
  manifest: string;
  hooks: Hook[];
  /** Text of NOTES.txt. Empty if the chart has none. */
  notes: string;
  /** CRDs of the chart, then of its enabled subcharts. They are not part of `manifest`. */
  crds: CrdFile[];
  /** Warnings that Helm logs while it merges values. */
  warnings: ValueWarning[];
}

/** Result of running the templates, before it is split into manifests and hooks. */
export interface RenderedTemplates extends Pick<RenderResult, 'chart' | 'notes' | 'crds' | 'warnings'> {
  /** Rendered files by path, without NOTES.txt. */
  files: ReadonlyMap<string, string>;
}
