import type { MetricTable } from '../metrics/metric-table.ts';
import { type processMetrics, recordProcess } from '../metrics/process-metrics.ts';
import type { Metrics } from '../metrics/prometheus.ts';

/**
 * Returns the metrics of this process. Their library is loaded now, so that processes without them
 * do not load it.
 */
export async function openProcessMetrics<Table extends MetricTable & typeof processMetrics>(
  table: Table,
): Promise<Metrics<Table>> {
  const { openMetrics } = await import('../metrics/prometheus.ts');
  const metrics = openMetrics(table);
  recordProcess(metrics.recorder);
  return metrics;
}
