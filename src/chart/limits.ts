/** How much of a chart is taken before it counts as too large. Sizes are in bytes. */
export interface ChartLimits {
  /** All files together, subcharts in archives of their own included. */
  readonly chartBytes: number;
  readonly fileBytes: number;
  readonly entries: number;
  /** How many times larger than the archive its content may be; small contents are not looked at. */
  readonly compressionRatio: number;
}

/** Helm's limits for sizes (pkg/chart/loader/archive/archive.go), and such for the rest as no real chart comes near. */
export const defaultChartLimits: ChartLimits = {
  chartBytes: 100 * 1024 * 1024,
  fileBytes: 5 * 1024 * 1024,
  entries: 20_000,
  compressionRatio: 200,
};

/** What has been taken so far of one chart, nested archives included. */
export interface Taken {
  bytes: number;
  entries: number;
}
