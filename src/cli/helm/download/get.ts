import type { Dispatcher } from 'undici';
import { defaultDownloadSettings } from '../../../source/download-settings.ts';
import { download } from '../../../source/http/download.ts';
import { endpointFor } from '../../../source/http/endpoint.ts';
import { parseHttpUrl } from '../../../source/http/http-url.ts';
import { SourceError } from '../../../source/source-error.ts';
import { networkText } from './network-text.ts';

const mebibyte = 1024 * 1024;

/** The repository that a file is downloaded from, and how. */
export interface RepositoryAccess {
  /** URL of the repository; credentials are sent only to its scheme, host and port. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** Whether to send the credentials to other hosts, too. */
  readonly passCredentials: boolean;
  readonly dispatcher: Dispatcher | undefined;
  /** Time limit in milliseconds. Default: 120,000, as in Helm. */
  readonly timeoutMs?: number;
}

/** Downloads a file by GET as Helm does. Throws an error with Helm's text if it has one. */
export async function get(
  address: string,
  access: RepositoryAccess,
  signal: AbortSignal,
  maxBytes = 512 * mebibyte,
): Promise<Buffer> {
  const { timeoutMs = defaultDownloadSettings.timeoutMs, dispatcher } = access;
  const endpoint = endpointFor(parseHttpUrl(address), parseHttpUrl(access.url), access);
  const options = {
    what: address,
    accept: 'application/gzip,application/octet-stream',
    maxBytes,
    timeoutMs,
    dispatcher,
  };
  try {
    return await download(endpoint, options, signal);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    throw new Error(helmText(error, endpoint.url.href), { cause: error });
  }
}

function helmText(error: SourceError, url: string): string {
  return error.status === undefined ? networkText(error, url) : `failed to fetch ${url} : ${error.status}`;
}
