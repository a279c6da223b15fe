import type { Value } from '../../go/value.ts';

/** Chart.yaml, with the texts that Helm gives to templates and stores in releases. Fields that a chart leaves out or empty are absent. */
export interface ChartMetadata {
  /** `v1` or `v2`; a chart without one counts as `v1`. */
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

/** A chart that another needs, from `dependencies` in its Chart.yaml. */
export interface ChartDependency {
  name: string;
  version?: string;
  repository: string;
  /** Paths into the values, separated by commas: the first that is there and a boolean says whether the chart is wanted. */
  condition?: string;
  tags?: string[];
  enabled?: boolean;
  /** `import-values`: texts, or maps of `child` and `parent`. */
  importValues?: Value[];
  alias?: string;
}
