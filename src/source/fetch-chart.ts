import type { ChartRequest } from './chart-request.ts';
import { sourceDefaults } from './chart-source.ts';
import { withCredentials } from './credentials.ts';
import { download } from './download.ts';
import { pullChart } from './oci/pull-chart.ts';
import { downloadFromRepository, type RepositoryOptions } from './repository.ts';
import { parseRepositoryUrl } from './repository-url.ts';
import { shownUrl } from './shown-url.ts';

/**
 * Downloads the archive of a chart, of a repository or, without one, of the address that is the chart's name. Throws {@link SourceError}, or the signal's
 * reason.
 */
export async function fetchChart(
  request: ChartRequest,
  signal: AbortSignal,
  options: RepositoryOptions = sourceDefaults,
): Promise<Uint8Array> {
  const { chartName, repoUrl } = request;
  if (repoUrl) return downloadFromRepository({ ...request, repoUrl }, options, signal);
  if (chartName.startsWith('oci://')) return pullChart(request, options, signal);
  const url = parseRepositoryUrl(chartName);
  const { dispatcher, timeoutMs, maxArchiveBytes } = options;
  return download(
    withCredentials(url, url, request),
    {
      what: `the archive of the chart at ${shownUrl(url)}`,
      maxBytes: maxArchiveBytes,
      accept: 'application/gzip,application/octet-stream',
      dispatcher,
      timeoutMs,
    },
    signal,
  );
}
