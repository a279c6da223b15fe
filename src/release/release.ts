import type { Hook } from './hook.ts';
import type { ReleaseStatus } from './status.ts';
import type { StoredChart } from './stored-chart.ts';

/** One revision of a release as Helm stores it. Field names are those of Helm's JSON (pkg/release/v1/release.go). */
export interface Release {
  name: string;
  namespace: string;
  /** The revision, from 1. */
  version: number;
  info: ReleaseInfo;
  chart: StoredChart;
  /** What the user gave, without the chart's own values. */
  config?: Record<string, unknown>;
  /** All objects but hooks, in the order of installation, as `---\n# Source: path\n…`. */
  manifest: string;
  hooks?: Hook[];
  /** `ssa` where the objects were applied server-side, `csa` or absent where by the client. */
  apply_method?: string;
}

/** Times are RFC 3339; Helm 3 writes an empty string where there is none. */
export interface ReleaseInfo {
  first_deployed?: string;
  last_deployed?: string;
  deleted?: string;
  description?: string;
  status: ReleaseStatus;
  /** The rendered NOTES.txt. */
  notes?: string;
}

/** The release with another status and description. */
export function withStatus(release: Release, status: ReleaseStatus, description: string): Release {
  return { ...release, info: { ...release.info, status, description } };
}
