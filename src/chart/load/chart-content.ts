import type { Chart, ChartFile } from '../chart.ts';

/**
 * The files of a chart whose text is not read here: names and bytes only. Readers put the
 * bytes into memory that threads share, so that passing a chart to one costs nothing.
 */
export interface ChartContent {
  /** Name and version in Chart.yaml. */
  readonly name: string;
  readonly version: string;
  /** SHA-256 (hex) of the files. */
  readonly digest: string;
  readonly files: readonly ChartFile[];
}

/** Returns the content of a chart that was loaded from these files. */
export function contentOf({ metadata, digest }: Chart, files: readonly ChartFile[]): ChartContent {
  return { name: metadata.name, version: metadata.version, digest, files };
}
