import type { ValueMap } from '../go/value.ts';
import type { ChartMetadata } from './metadata/metadata.ts';

/** A file of a chart. `name` is relative to the chart's folder, with forward slashes. */
export interface ChartFile {
  name: string;
  data: Uint8Array;
}

/**
 * A loaded chart with its subcharts. Loading keeps every subchart; processing dependencies returns
 * a copy with the enabled ones.
 */
export interface Chart {
  metadata: ChartMetadata;
  /** Parsed values.yaml, including `null` entries. */
  values: ValueMap;
  /**
   * Text of values.yaml with its comments. Absent if the chart has none, or if it comes from a
   * stored release.
   */
  valuesFile?: Uint8Array;
  /** Text of values.schema.json. */
  schema?: Uint8Array;
  /** Chart.lock or requirements.lock as JSON. */
  lock?: Record<string, unknown>;
  /** Files below templates/, in loading order. */
  templates: ChartFile[];
  /** All other files that are not ignored, including crds/. */
  files: ChartFile[];
  dependencies: Chart[];
  /** SHA-256 (hex) of everything loaded, used as the cache key of compiled templates. */
  digest: string;
}
