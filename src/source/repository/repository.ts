import type { ChartRequest } from '../chart-request.ts';
import { checkDigest } from '../digest.ts';
import { download, type DownloadOptions } from '../http/download.ts';
import type { DownloadSettings } from '../download-settings.ts';
import { endpointFor } from '../http/endpoint.ts';
import { parseHttpUrl, resolveReference } from '../http/http-url.ts';
import type { IndexedVersion } from './index-entry.ts';
import { readIndex } from './index-file.ts';
import { pullChart } from '../oci/pull-chart.ts';
import { isVersionRange, selectVersion } from '../select-version.ts';
import { shownUrl } from '../http/shown-url.ts';
import { SourceError } from '../source-error.ts';

/**
 * Downloads the archive of a chart from an HTTP repository. Throws {@link SourceError}, or the
 * signal's reason.
 */
export async function downloadFromRepository(
  repoUrl: string,
  request: ChartRequest,
  settings: DownloadSettings,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const repository = parseHttpUrl(repoUrl);
  const { dispatcher, timeoutMs } = settings;

  const indexUrl = resolveReference(repository, 'index.yaml');
  const indexDownload: DownloadOptions = {
    what: 'the index of the chart repository',
    maxBytes: settings.maxIndexBytes,
    dispatcher,
    timeoutMs,
  };
  const text = (await download(endpointFor(indexUrl, repository, request), indexDownload, signal)).toString();
  const chart = findChart(text, shownUrl(indexUrl), request);
  warnIfInexact(chart, request, settings);

  const archiveUrl = resolveReference(repository, chart.url);
  if (archiveUrl.protocol === 'oci:') {
    return pullIndexedChart(archiveUrl, chart.version, repository, request, settings, signal);
  }
  const archiveDownload: DownloadOptions = {
    what: `the archive of the chart ${JSON.stringify(request.chartName)} ${chart.version}`,
    maxBytes: settings.maxArchiveBytes,
    accept: 'application/gzip,application/octet-stream',
    dispatcher,
    timeoutMs,
  };
  const archive = await download(endpointFor(archiveUrl, repository, request), archiveDownload, signal);
  if (chart.digest !== '') checkDigest(archive, chart.digest, shownUrl(archiveUrl));
  return archive;
}

type IndexedChart = IndexedVersion & { readonly url: string };

function findChart(indexText: string, where: string, request: ChartRequest): IndexedChart {
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

function warnIfInexact({ version }: IndexedChart, request: ChartRequest, { onWarning }: DownloadSettings): void {
  const requested = request.chartVersion?.trim() ?? '';
  if (requested === '' || requested === version || isVersionRange(requested)) return;
  const attributes = { chart: request.chartName, requested, selected: version };
  onWarning?.('unable to find exact version requested; falling back to closest available version', attributes);
}

/**
 * Pulls a chart that the index of an HTTP repository locates in a registry. The digest in the index
 * is not checked: the registry has digests of its own. Credentials are sent only if the registry is
 * on the host and port of the repository, unless `passCredentials` is set.
 */
async function pullIndexedChart(
  url: URL,
  version: string,
  repository: URL,
  request: ChartRequest,
  settings: DownloadSettings,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const isTrusted = url.host === repository.host || request.passCredentials === true;
  const { username, password } = isTrusted ? request : {};
  const chartVersion = hasTagOrDigest(url) ? undefined : version;
  return pullChart(url.href, { ...request, chartVersion, username, password }, settings, signal);
}

function hasTagOrDigest({ pathname }: URL): boolean {
  return /[:@]/.test(pathname);
}
