import type { Hook } from './hook.ts';
import type { ReleaseStatus } from './status.ts';
import type { StoredChart } from './stored-chart.ts';

/** A revision of a release. Field names are those of Helm's JSON (pkg/release/v1/release.go). */
export interface Release {
  name: string;
  namespace: string;
  /** Number of the revision, from 1. */
  version: number;
  info: ReleaseInfo;
  chart: StoredChart;
  /** Values from the user, without the defaults of the chart. */
  config?: Record<string, unknown>;
  /** All objects except hooks, in the order of installation, as `---\n# Source: path\n…`. */
  manifest: string;
  hooks?: Hook[];
  /** `ssa` if the objects were applied server-side, `csa` or absent if client-side. */
  apply_method?: string;
  /**
   * Paths in {@link config} of the values that are not shown, as JSON pointers. Not of Helm, which
   * drops the field when it writes the revision again.
   */
  secret_values?: string[];
}

/** Times are RFC 3339. Helm 3 writes an empty string for a time that is not set. */
export interface ReleaseInfo {
  first_deployed?: string;
  last_deployed?: string;
  deleted?: string;
  description?: string;
  status: ReleaseStatus;
  /** The rendered NOTES.txt. */
  notes?: string;
}

/** Returns the release with another status and description. */
export function withStatus(release: Release, status: ReleaseStatus, description: string): Release {
  return { ...release, info: { ...release.info, status, description } };
}

export function withoutNotes({ info: { notes: _, ...info }, ...release }: Release): Release {
  return { ...release, info };
}
