import type { ChartContent } from '../../src/chart/load/chart-content.ts';
import { loadUnpacked } from '../../src/chart/load/load-archive.ts';

/** Returns the description in a chart's Chart.yaml, by which tests distinguish charts. */
export async function descriptionOf({ files }: ChartContent): Promise<string | undefined> {
  return (await loadUnpacked(files)).metadata.description;
}
