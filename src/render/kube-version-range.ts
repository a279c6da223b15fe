import type { Chart } from '../chart/chart.ts';
import { parseConstraint, satisfies } from '../go/semver-constraint.ts';
import { parseVersion } from '../go/semver.ts';
import { GoError } from '../go/value.ts';
import type { KubeVersion } from './capabilities.ts';
import { RenderError } from './render-error.ts';

/**
 * Refuses a chart whose `kubeVersion` does not have the cluster's version, with Helm's text. Unlike Helm with a live cluster, the vendor's suffix does
 * not count: `>=1.20.0` takes `v1.33.4-gke.1`.
 */
export function requireKubeVersion(chart: Chart, { version, normalized }: KubeVersion): void {
  const range = chart.metadata.kubeVersion;
  if (range === undefined || range === '' || isInRange(range, normalized)) return;
  throw new RenderError(
    'chart_incompatible',
    `chart requires kubeVersion: ${range} which is incompatible with Kubernetes ${version}`,
  );
}

/** As Helm: a range that cannot be read has no version in it. */
function isInRange(range: string, version: string): boolean {
  try {
    return satisfies(parseVersion(version), parseConstraint(range));
  } catch (error) {
    if (error instanceof GoError) return false;
    throw error;
  }
}
