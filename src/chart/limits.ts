/** Size limits of a chart, in bytes unless stated otherwise. */
export interface ChartLimits {
  /** All files together, including those of packed subcharts. */
  readonly chartBytes: number;
  readonly fileBytes: number;
  readonly entries: number;
  /** Maximum ratio of unpacked to packed size. Not checked for small charts. */
  readonly compressionRatio: number;
  /** Charts and subcharts, each copy under an alias included. */
  readonly charts: number;
  /** Depth of subcharts: a chart without subcharts has depth 1. */
  readonly chartDepth: number;
}

/**
 * Default limits: Helm's for sizes (pkg/chart/loader/archive/archive.go), and more than any real
 * chart needs for the rest.
 */
export const defaultChartLimits: ChartLimits = {
  chartBytes: 100 * 1024 * 1024,
  fileBytes: 5 * 1024 * 1024,
  entries: 20_000,
  compressionRatio: 200,
  charts: 1000,
  chartDepth: 20,
};

/** Totals loaded so far for one chart, including nested archives. */
export interface LoadedTotals {
  bytes: number;
  entries: number;
  charts: number;
}
