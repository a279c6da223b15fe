import type { ChartRequest } from './chart-request.ts';
import { download } from './http/download.ts';
import type { DownloadSettings } from './download-settings.ts';
import { endpointFor } from './http/endpoint.ts';
import { parseHttpUrl } from './http/http-url.ts';
import { shownUrl } from './http/shown-url.ts';

/**
 * Downloads the archive of a chart from its URL. Throws {@link SourceError}, or the signal's
 * reason.
 */
export async function downloadFromUrl(
  address: string,
  request: ChartRequest,
  { dispatcher, timeoutMs, maxArchiveBytes, waitForTurn, kept }: DownloadSettings,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const url = parseHttpUrl(address, "the chart's URL");
  return download(
    endpointFor(url, url, request),
    {
      what: `the archive of the chart at ${shownUrl(url)}`,
      maxBytes: maxArchiveBytes,
      accept: 'application/gzip,application/octet-stream',
      dispatcher,
      timeoutMs,
      waitForTurn,
      kept,
    },
    signal,
  );
}
