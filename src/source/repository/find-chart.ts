import { selectVersion } from '../select-version.ts';
import { SourceError } from '../source-error.ts';
import type { IndexedVersion } from './index-entry.ts';
import { readIndex } from './index-file.ts';

/** A version of a chart in the index of a repository. */
export interface IndexedChart extends IndexedVersion {
  /** URL of its archive, maybe relative to the repository. */
  readonly url: string;
}

/** The chart to find in an index. */
export interface IndexQuery {
  /** URL of the index, for messages. */
  readonly where: string;
  readonly chartName: string;
  /** Version or range. Default: the newest stable version. */
  readonly chartVersion?: string | undefined;
}

/** Finds a chart in the text of an index. Throws {@link SourceError}. */
export function findChart(indexText: string, { where, ...query }: IndexQuery): IndexedChart {
  const chartName = query.chartName.trim();
  const index = readIndex(indexText, where);
  const versions = index.versionsOf(chartName);
  if (versions === undefined) {
    throw new SourceError(
      'chart_not_found',
      `the repository's index at ${where} has no chart ${JSON.stringify(chartName)} among its ${index.chartNames.length}; check the chart's name and the repository's URL`,
    );
  }
  const chart = selectVersion(chartName, versions, query.chartVersion?.trim() ?? '');
  const [url] = chart.urls;
  if (url === undefined) {
    throw new SourceError(
      'repository_invalid',
      `the repository's index at ${where} gives no address for the chart ${JSON.stringify(chartName)} ${chart.version}`,
    );
  }
  return { ...chart, url };
}
