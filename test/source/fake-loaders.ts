import type { Chart } from '../../src/chart/chart.ts';
import type { ChartLoaders } from '../../src/source/chart-loaders.ts';

/** Makes a chart whose digest says what it was loaded from. */
export const fakeLoaders: ChartLoaders = {
  loadArchive: (archive) => chartOf(`archive ${Buffer.from(archive).toString()}`),
  loadDirectory: (path) => chartOf(`directory ${path}`),
};

function chartOf(digest: string): Chart {
  return {
    metadata: { apiVersion: 'v2', name: 'fake', version: '1.0.0' },
    values: new Map(),
    templates: [],
    files: [],
    dependencies: [],
    digest,
  };
}
