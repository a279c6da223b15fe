import type { Chart, ChartFile } from '../chart/chart.ts';
import type { ChartDependency, ChartMetadata } from '../chart/metadata/metadata.ts';
import { plainObject, plainValue } from './plain-value.ts';

/**
 * A chart as stored in a release, without its subcharts. Field names are those of Helm's JSON
 * (pkg/chart/v2/chart.go).
 */
export interface StoredChart {
  metadata: StoredChartMetadata | null;
  lock: Record<string, unknown> | null;
  templates: StoredFile[] | null;
  values: Record<string, unknown> | null;
  /** `values.schema.json` in base64. */
  schema: string | null;
  files: StoredFile[] | null;
}

/** `Chart.yaml`. */
interface StoredChartMetadata {
  name?: string;
  version?: string;
  appVersion?: string;
  apiVersion?: string;
  description?: string;
}

interface StoredFile {
  name: string;
  /** In base64. Null if the file is empty. */
  data: string | null;
}

/** Converts a chart for storage. As in Helm, the chart's dependencies must be processed. */
export function storedChart(chart: Chart): StoredChart {
  return {
    metadata: storedMetadata(chart.metadata),
    lock: chart.lock ? { ...chart.lock } : null,
    templates: chart.templates.map(storedFile),
    values: plainObject(chart.values),
    schema: chart.schema === undefined ? null : base64(chart.schema),
    files: chart.files.map(storedFile),
  };
}

function storedFile(file: ChartFile): StoredFile {
  return { name: file.name, data: base64(file.data) };
}

function base64(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
}

function storedMetadata({ dependencies = [], ...fields }: ChartMetadata): Record<string, unknown> {
  return withoutZeroValues({ ...fields, dependencies: dependencies.map(storedDependency) });
}

function storedDependency({
  name,
  repository,
  importValues = [],
  ...fields
}: ChartDependency): Record<string, unknown> {
  // Helm writes these two even if they are empty
  return { name, repository, ...withoutZeroValues({ ...fields, 'import-values': importValues.map(plainValue) }) };
}

/** Removes the fields that Go's `omitempty` leaves out. */
function withoutZeroValues(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isZero(value)));
}

function isZero(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || value === false;
}
