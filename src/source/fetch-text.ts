import { fromBytes } from '../go/text.ts';
import { download } from './http/download.ts';
import { defaultDownloadSettings } from './download-settings.ts';
import { endpointOf } from './http/endpoint.ts';
import { parseHttpUrl } from './http/http-url.ts';

/**
 * Downloads a text of at most 64 MiB. `what` names it in errors. Throws {@link SourceError}, or the
 * signal's reason.
 */
export async function fetchText(address: string, what: string, signal: AbortSignal): Promise<string> {
  const { timeoutMs, maxIndexBytes: maxBytes } = defaultDownloadSettings;
  const endpoint = endpointOf(parseHttpUrl(address, `the URL of ${what}`));
  return fromBytes(await download(endpoint, { what, maxBytes, timeoutMs }, signal));
}
