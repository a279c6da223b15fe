import type { Chart } from '../../chart/chart.ts';
import { isCompatibleRange } from '../../chart/metadata/compatible-range.ts';
import type { Capabilities } from './capabilities.ts';
import { RenderError } from '../render-error.ts';

/**
 * Throws an error with Helm's text if the chart's `kubeVersion` does not match the cluster's
 * version. Unlike Helm with a live cluster, this ignores vendor suffixes: `>=1.20.0` matches
 * `v1.33.4-gke.1`.
 */
export function requireKubeVersion(chart: Chart, { kubeVersion, onRead }: Capabilities): void {
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
