import { parse } from 'node:path';
import type { LocatedChart } from '../cli/locate-chart.ts';
import type { ChartReader } from '../source/chart-reader.ts';
import type { ChartSource } from '../source/chart-source.ts';

/** Returns a source that has one chart, which was found before. Its links may point anywhere. */
export function locatedChartSource(chart: LocatedChart | undefined, reader: ChartReader): Pick<ChartSource, 'load'> {
  return {
    load(_, signal) {
      if (chart === undefined) return Promise.reject(new Error('this command has no chart'));
      return 'folder' in chart
        ? reader.readFolder(chart.folder, parse(chart.folder).root, signal)
        : reader.readArchive(chart.archive, signal);
    },
  };
}
