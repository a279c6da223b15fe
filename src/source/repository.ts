import type { Dispatcher } from 'undici';
import type { ChartRequest } from './chart-request.ts';
import { withCredentials } from './credentials.ts';
import { checkDigest } from './digest.ts';
import { download, type DownloadOptions } from './download.ts';
import { readIndex } from './index-file.ts';
import type { IndexedVersion } from './index-entry.ts';
import { parseRepositoryUrl, resolveReference } from './repository-url.ts';
import { isVersionRange, selectVersion } from './select-version.ts';
import { shownUrl } from './shown-url.ts';
import { SourceError } from './source-error.ts';

export interface RepositoryOptions {
  readonly dispatcher?: Dispatcher | undefined;
  /** For each download, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxIndexBytes: number;
  readonly maxArchiveBytes: number;
  /** Takes what Helm warns of: that the version which is wanted is not there, but one that may do. Default: nobody does. */
  readonly warn?: (message: string, attributes: Readonly<Record<string, string>>) => void;
  /** Takes what a registry gave: the reference of the chart and the digest of its manifest. Default: nobody does. */
  readonly pulled?: (reference: string, digest: string) => void;
}

/** Downloads the archive of a chart from an HTTP repository. Throws {@link SourceError}, or the signal's reason. */
export async function downloadFromRepository(
  request: ChartRequest & { repoUrl: string },
  options: RepositoryOptions,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const repository = parseRepositoryUrl(request.repoUrl);
  const { dispatcher, timeoutMs } = options;

  const indexUrl = resolveReference(repository, 'index.yaml');
  const indexDownload: DownloadOptions = {
    what: 'the index of the chart repository',
    maxBytes: options.maxIndexBytes,
    dispatcher,
    timeoutMs,
  };
  const text = (await download(withCredentials(indexUrl, repository, request), indexDownload, signal)).toString();
  const chart = findChart(text, shownUrl(indexUrl), request);

  const requested = request.chartVersion?.trim() ?? '';
  if (requested !== '' && requested !== chart.version && !isVersionRange(requested)) {
    const attributes = { chart: request.chartName, requested, selected: chart.version };
    options.warn?.('unable to find exact version requested; falling back to closest available version', attributes);
  }

  const archiveUrl = resolveReference(repository, chart.url);
  const archiveDownload: DownloadOptions = {
    what: `the archive of the chart ${JSON.stringify(request.chartName)} ${chart.version}`,
    maxBytes: options.maxArchiveBytes,
    accept: 'application/gzip,application/octet-stream',
    dispatcher,
    timeoutMs,
  };
  const archive = await download(withCredentials(archiveUrl, repository, request), archiveDownload, signal);
  if (chart.digest !== '') checkDigest(archive, chart.digest, shownUrl(archiveUrl));
  return archive;
}

function findChart(indexText: string, where: string, request: ChartRequest): IndexedVersion & { url: string } {
  const chartName = request.chartName.trim();
  const index = readIndex(indexText, where);
  const versions = index.versionsOf(chartName);
  if (versions === undefined) {
    throw new SourceError(
      'chart_not_found',
      `the repository's index at ${where} has no chart ${JSON.stringify(chartName)} among its ${index.chartCount}; check the chart's name and the repository's URL`,
    );
  }
  const chart = selectVersion(chartName, versions, request.chartVersion?.trim() ?? '');
  const [url] = chart.urls;
  if (url === undefined) {
    throw new SourceError(
      'repository_invalid',
      `the repository's index at ${where} gives no address for the chart ${JSON.stringify(chartName)} ${chart.version}`,
    );
  }
  return { ...chart, url };
}
