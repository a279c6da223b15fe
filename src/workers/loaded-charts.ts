import { LRUCache } from 'lru-cache';
import type { Chart } from '../chart/chart.ts';
import type { ChartContent } from '../chart/load/chart-content.ts';
import { MemoryFullError } from '../chart/load/growing-memory.ts';
import { loadUnpacked } from '../chart/load/load-archive.ts';
import { requireInstallable } from '../chart/metadata/installable.ts';
import type { ReadOptions } from '../source/chart-reader.ts';
import { largeText, requireStorable } from './budget.ts';
import type { TextThreadLimits } from './limits.ts';

/** Bytes of loaded charts that a thread keeps. */
const keptBytes = 16 * 1024 * 1024;

/** The charts that a thread has loaded. */
export interface LoadedCharts {
  /** Returns the chart with this content, loaded at most once while it is kept. */
  chartOf(content: ChartContent): Promise<Chart>;
  /** Returns what `reading` does if the chart can be installed and stored. */
  check(reading: Promise<ChartContent>, options?: ReadOptions): Promise<ChartContent>;
}

/** Returns charts of which the recently used ones are kept. */
export function createLoadedCharts(limits: TextThreadLimits): LoadedCharts {
  const charts = new LRUCache<string, Chart>({ maxSize: keptBytes });

  async function chartOf({ digest, files }: ChartContent): Promise<Chart> {
    const known = charts.get(digest);
    if (known !== undefined) return known;
    const chart = await loadUnpacked(files, { limits });
    charts.set(digest, chart, { size: 1 + files.reduce((sum, { data }) => sum + data.length, 0) });
    return chart;
  }

  return {
    chartOf,
    async check(reading, { mayBeIncomplete = false } = {}) {
      const content = await reading.catch((error: unknown) => {
        throw isMemoryFull(error) ? largeText() : error;
      });
      const chart = await chartOf(content);
      requireInstallable(mayBeIncomplete ? withoutDependencies(chart) : chart);
      requireStorable(chart, limits);
      return content;
    },
  };
}

/** Returns a chart that requires no others. */
function withoutDependencies(chart: Chart): Chart {
  return { ...chart, metadata: { ...chart.metadata, dependencies: [] } };
}

function isMemoryFull(error: unknown): boolean {
  return error instanceof Error && (error instanceof MemoryFullError || error.cause instanceof MemoryFullError);
}
