import type { Chart } from '../chart/chart.ts';

/** How bytes and folders become charts. */
export interface ChartLoaders {
  loadArchive(archive: Uint8Array, signal?: AbortSignal): Chart | Promise<Chart>;
  loadDirectory(path: string, signal?: AbortSignal): Chart | Promise<Chart>;
}
