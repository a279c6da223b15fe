import type { ChartReader } from '../source/chart-reader.ts';
import type { TextPool } from './text-pool.ts';

const limitCode = 'too_large';

/** Returns a reader of charts and indexes in threads. */
export function threadedChartReader(texts: TextPool): ChartReader {
  return {
    readArchive(archive, signal, read) {
      const options = { signal, subject: "reading the chart's archive", limitCode } as const;
      return texts.runSized(
        (mayBeLarge) => texts.run('readArchive', { archive, mayBeLarge, ...read }, options),
        signal,
      );
    },
    readFolder(folder, root, signal, read) {
      const options = { signal, subject: 'reading the chart', limitCode } as const;
      return texts.runSized(
        (mayBeLarge) => texts.run('readFolder', { folder, root, mayBeLarge, ...read }, options),
        signal,
      );
    },
    addFiles(chart, files, signal) {
      const options = { signal, subject: 'reading the dependencies of the chart', limitCode } as const;
      return texts.runSized((mayBeLarge) => texts.run('addFiles', { chart, files, mayBeLarge }, options), signal);
    },
    findChart(index, query, signal) {
      return texts.run(
        'findChart',
        { index, query },
        { signal, subject: `reading the index at ${query.where}`, limitCode },
      );
    },
  };
}
