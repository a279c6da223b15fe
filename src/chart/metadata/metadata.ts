import type { Value } from '../../go/value.ts';

/**
 * Chart.yaml, with the texts that Helm passes to templates and stores in releases. Missing and
 * empty fields are absent.
 */
export interface ChartMetadata {
  /** `v1` or `v2`. Default: `v1`. */
  apiVersion: string;
  name: string;
  version: string;
  home?: string;
  sources?: string[];
  description?: string;
  keywords?: string[];
  maintainers?: Maintainer[];
  icon?: string;
  condition?: string;
  tags?: string;
  appVersion?: string;
  deprecated?: boolean;
  annotations?: Record<string, string>;
  kubeVersion?: string;
  /** Also from requirements.yaml. */
  dependencies?: ChartDependency[];
  /** `application` or `library`. */
  type?: string;
}

export interface Maintainer {
  name?: string;
  email?: string;
  url?: string;
}

/** Chart.lock or requirements.lock: the versions that the dependencies had when it was written. */
export interface ChartLock {
  /** Time in Go's JSON form. */
  generated: string;
  /** Digest of the dependencies and of the lock. */
  digest: string;
  dependencies: ChartDependency[] | null;
}

/** A chart required by another, from `dependencies` in its Chart.yaml. */
export interface ChartDependency {
  name: string;
  version?: string;
  repository: string;
  /**
   * Comma-separated paths into the values. The first one that leads to a boolean enables or
   * disables the chart.
   */
  condition?: string;
  tags?: string[];
  enabled?: boolean;
  /** `import-values`: strings, or maps with `child` and `parent`. */
  importValues?: Value[];
  alias?: string;
}
