import type { ValueMap } from '../go/value.ts';
import type { ChartMetadata } from './metadata/metadata.ts';

/** A file of a chart. `name` is relative to the chart's folder, with forward slashes. */
export interface ChartFile {
  name: string;
  data: Uint8Array;
}

/** A chart as it was loaded, with its subcharts. Loading keeps all; processing dependencies makes a copy with what is enabled. */
export interface Chart {
  metadata: ChartMetadata;
  /** values.yaml as it was read; `null` entries are kept. */
  values: ValueMap;
  /** values.yaml as it stands, comments and all; absent where the chart has none, and in a chart out of a release. */
  valuesFile?: Uint8Array;
  /** values.schema.json as it stands. */
  schema?: Uint8Array;
  /** Chart.lock or requirements.lock as JSON. */
  lock?: Record<string, unknown>;
  /** Files below templates/, in the order of loading. */
  templates: ChartFile[];
  /** Files that are none of the above and not ignored, crds/ among them. */
  files: ChartFile[];
  dependencies: Chart[];
  /** sha256 over all that was loaded, hex: the key under which compiled templates are kept. */
  digest: string;
}
