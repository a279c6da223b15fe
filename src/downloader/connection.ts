import { readFile } from 'node:fs/promises';
import type { Dispatcher } from 'undici';
import { openError } from '../go/file-error.ts';
import { defaultDownloadSettings } from '../source/download-settings.ts';
import { download } from '../source/http/download.ts';
import { endpointFor } from '../source/http/endpoint.ts';
import { parseHttpUrl, shownUrl } from '../source/http/http-url.ts';
import { networkText } from '../source/http/network-text.ts';
import { clientDispatcher } from '../source/http/repository-dispatcher.ts';
import { registryRetries } from '../source/http/retries.ts';
import { trustingAgent } from '../source/http/trusting-connector.ts';
import { SourceError } from '../source/source-error.ts';
import type { DownloadContext } from './context.ts';

/** The files with which a client identifies itself and trusts servers. An empty text is none. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
  readonly insecureSkipTlsVerify: boolean;
}

/**
 * Returns the dispatcher for requests with these files; undefined if undici's global one does. As
 * in Helm, a certificate counts only together with its key.
 */
export async function connect(files: TlsFiles, { env }: Pick<DownloadContext, 'env'>): Promise<Dispatcher | undefined> {
  const hasCertificate = files.certFile !== '' && files.keyFile !== '';
  const [cert, key] = hasCertificate
    ? [await pemFile(files.certFile), await pemFile(files.keyFile)]
    : [undefined, undefined];
  const ca = files.caFile === '' ? undefined : await pemFile(files.caFile, `can't read CA file: ${files.caFile}: `);
  return clientDispatcher({ ca, cert, key, insecure: files.insecureSkipTlsVerify, env });
}

/** Like {@link connect}, for a registry, to which helm sends requests again. */
export async function connectToRegistry(
  files: TlsFiles,
  { env, host }: Pick<DownloadContext, 'env' | 'host'>,
): Promise<Dispatcher> {
  const dispatcher = (await connect(files, { env })) ?? trustingAgent();
  const random = () => (host.randomBytes(1)[0] ?? 0) / 256;
  return dispatcher.compose(registryRetries({ random }));
}

async function pemFile(path: string, problem = ''): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new Error(`can't create TLS config for client: ${problem}${openError(path, cause).message}`, { cause });
  }
}

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
    what: shownUrl(endpoint.url),
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
