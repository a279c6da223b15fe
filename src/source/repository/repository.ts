import type { ChartRequest } from '../chart-request.ts';
import { checkDigest, digitsOf } from '../digest.ts';
import { type ArchiveOptions, downloadArchive } from '../download-archive.ts';
import { type DownloadSettings, maxProvenanceBytes } from '../download-settings.ts';
import { download, type DownloadOptions } from '../http/download.ts';
import { endpointFor } from '../http/endpoint.ts';
import { isBelowPaths, parseHttpUrl, resolveReference, shownUrl } from '../http/http-url.ts';
import { pullChart } from '../oci/pull-chart.ts';
import { isVersionRange } from '../select-version.ts';
import { ifPresent } from '../verification/chart-verification.ts';
import type { IndexedChart } from './find-chart.ts';

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
  const { dispatcher, machine, timeoutMs, waitForTurn, kept } = settings;

  const indexUrl = resolveReference(repository, 'index.yaml');
  const indexDownload: DownloadOptions = {
    what: 'the index of the chart repository',
    maxBytes: settings.maxIndexBytes,
    dispatcher,
    machine,
    timeoutMs,
    waitForTurn,
    kept,
  };
  const index = await download(endpointFor(indexUrl, repository, request), indexDownload, signal);
  const { chartName, chartVersion } = request;
  const chart = await settings.reader.findChart(index, { where: shownUrl(indexUrl), chartName, chartVersion }, signal);
  warnIfInexact(chart, request, settings);

  const named = resolveReference(repository, chart.url);
  const mirror = request.mirrors?.mirrorOf(named.href);
  const archiveUrl = mirror === undefined ? named : new URL(mirror.url);
  if (archiveUrl.protocol === 'oci:') {
    return pullIndexedChart(archiveUrl, chart, repository, request, settings, signal);
  }
  const archive: ArchiveOptions = {
    what: `the archive of the chart ${JSON.stringify(request.chartName)} ${chart.version}`,
    where: shownUrl(archiveUrl),
    digest: chart.digest,
    maxBytes: settings.maxArchiveBytes,
    accept: 'application/gzip,application/octet-stream',
    dispatcher,
    machine,
    timeoutMs,
    waitForTurn,
    kept,
  };
  settings.onFound?.({
    name: chartName.trim(),
    version: chart.version,
    provenance: () => {
      const what = `the signature of the chart ${JSON.stringify(chartName)} ${chart.version}`;
      const options = { what, maxBytes: maxProvenanceBytes, dispatcher, machine, timeoutMs, waitForTurn };
      const provenanceUrl = new URL(`${archiveUrl.href}.prov`);
      return ifPresent(() => download(endpointFor(provenanceUrl, repository, request), options, signal));
    },
  });
  return downloadArchive(endpointFor(archiveUrl, repository, request), archive, signal);
}

function warnIfInexact({ version }: IndexedChart, request: ChartRequest, { onWarning }: DownloadSettings): void {
  const requested = request.chartVersion?.trim() ?? '';
  if (requested === '' || requested === version || isVersionRange(requested)) return;
  const attributes = { chart: request.chartName, requested, selected: version };
  onWarning?.('unable to find exact version requested; falling back to closest available version', attributes);
}

/**
 * Pulls a chart that the index of an HTTP repository locates in a registry. A digest in the index
 * must be that of the archive or of the manifest. Credentials are sent only if the registry is on
 * the host and port of the repository, unless `passCredentials` is set.
 */
async function pullIndexedChart(
  url: URL,
  { version, digest }: IndexedChart,
  repository: URL,
  request: ChartRequest,
  settings: DownloadSettings,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const isOwn =
    url.host === repository.host && isBelowPaths(url.pathname.replace(/[:@].*$/s, ''), request.credentialPaths);
  const isTrusted = isOwn || request.passCredentials === true;
  const { username, password, token, identityToken } = isTrusted ? request : {};
  const chartVersion = hasTagOrDigest(url) ? undefined : version;
  let manifest = '';
  const onPulled = (reference: string, pulled: string) => {
    manifest = pulled;
    settings.onPulled?.(reference, pulled);
  };
  const chart = { ...request, chartVersion, username, password, token, identityToken };
  const onFound: DownloadSettings['onFound'] = (found) => {
    // the tag is what the index says
    settings.onFound?.({ ...found, name: request.chartName.trim(), version });
  };
  const archive = await pullChart(url.href, chart, { ...settings, onPulled, onFound }, signal);
  if (digest !== '' && digitsOf(digest) !== digitsOf(manifest)) {
    await checkDigest(archive, digest, `the chart ${JSON.stringify(request.chartName)} ${version}`);
  }
  return archive;
}

function hasTagOrDigest({ pathname }: URL): boolean {
  return /[:@]/.test(pathname);
}
