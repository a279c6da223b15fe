import type { ValueMap } from '../go/value.ts';
import type { ChartLock, ChartMetadata } from './metadata/metadata.ts';

/** A file of a chart. `name` is relative to the chart's folder, with forward slashes. */
export interface ChartFile {
  name: string;
  data: Uint8Array;
  /** When it was changed last. Only set by loading with `times`. */
  modified?: Date;
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
  /** When files that are not listed below were changed last. Only set by loading with `times`. */
  modified?: ModifiedFiles;
  /** Chart.lock or requirements.lock. */
  lock?: ChartLock;
  /** Files below templates/, in loading order. */
  templates: ChartFile[];
  /** All other files that are not ignored, including crds/. */
  files: ChartFile[];
  dependencies: Chart[];
  /** SHA-256 (hex) of everything loaded, used as the cache key of compiled templates. */
  digest: string;
}

export interface ModifiedFiles {
  'Chart.yaml'?: Date;
  'values.yaml'?: Date;
  'values.schema.json'?: Date;
}
