import type { Chart } from '../../chart/chart.ts';
import { isCompatibleRange } from '../../chart/metadata/compatible-range.ts';
import type { KubeVersion } from './capabilities.ts';
import { RenderError } from '../render-error.ts';

/**
 * Throws an error with Helm's text if the chart's `kubeVersion` does not match the cluster's
 * version. Unlike Helm with a live cluster, this ignores vendor suffixes: `>=1.20.0` matches
 * `v1.33.4-gke.1`.
 */
export function requireKubeVersion(chart: Chart, { version, normalized }: KubeVersion): void {
  const range = chart.metadata.kubeVersion;
  if (range === undefined || range === '' || isCompatibleRange(range, normalized)) return;
  throw new RenderError(
    'chart_incompatible',
    `chart requires kubeVersion: ${range} which is incompatible with Kubernetes ${version}`,
  );
}
