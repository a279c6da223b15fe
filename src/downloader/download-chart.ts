import { basename, posix } from 'node:path';
import { quote } from '../go/strconv.ts';
import { createChartSource } from '../source/chart-source.ts';
import type { RegistryCredentials } from '../source/configuration/registry-auths.ts';
import { findRegistryCredentials, registryConfigFiles } from '../source/configuration/registry-config.ts';
import { checkDigest, digitsOf } from '../source/digest.ts';
import { defaultDownloadSettings, maxProvenanceBytes } from '../source/download-settings.ts';
import { decodePercents, shownUrl } from '../source/http/http-url.ts';
import { listVersions } from '../source/oci/list-versions.ts';
import { pullProvenance } from '../source/oci/pull-chart.ts';
import { type ChartReference, parseReference } from '../source/oci/reference.ts';
import type { ChartVersion } from '../source/select-version.ts';
import { connectToRegistry, get } from './connection.ts';
import { contentCache } from './content-cache.ts';
import type { DownloadContext } from './context.ts';
import type { ChartPathOptions, ConnectionOptions } from './context.ts';
import { pulledText } from './helm-texts.ts';
import { resolveChart, type ResolvedChart } from './resolve-chart.ts';

/** The archive of a chart that was found, and the name that Helm gives its file. */
export interface DownloadedChart {
  readonly archive: Uint8Array;
  readonly fileName: string;
  /** The name of the chart in Helm's warnings. */
  readonly reference: string;
  /** Downloads the signature of the archive. */
  readonly provenance: () => Promise<Uint8Array>;
  readonly provenanceUrl: string;
}

export interface DownloadOptions extends Omit<ChartPathOptions, 'verify' | 'keyring'> {
  /** Receives the lines about a chart that was pulled from a registry. */
  readonly onPulled: (lines: string) => void;
}

/**
 * Downloads the chart that a user names, or takes it from Helm's cache. Throws an error with Helm's
 * text if it has one.
 */
export async function downloadChart(
  name: string,
  options: DownloadOptions,
  context: DownloadContext,
  signal: AbortSignal,
): Promise<DownloadedChart> {
  const location = await resolveChart(name, options, context, signal);
  return location.kind === 'registry'
    ? pull(location, options, context, signal)
    : fetchArchive(options.repo === '' ? name : location.url.href, location, context, signal);
}

async function fetchArchive(
  reference: string,
  { url, digest, access }: Extract<ResolvedChart, { kind: 'archive' }>,
  { settings }: DownloadContext,
  signal: AbortSignal,
): Promise<DownloadedChart> {
  const cached = digitsOf(digest) === undefined ? undefined : await contentCache(settings.contentCache).get(digest);
  const archive = cached ?? (await get(url.href, access, signal));
  if (digest !== '' && cached === undefined) await checkDigest(archive, digest, shownUrl(url));
  const provenanceUrl = `${url.href}.prov`;
  return {
    reference,
    // not every use needs it, so that the URL may end without a name
    get fileName() {
      return archiveFileName(url);
    },
    archive,
    provenance: () => get(provenanceUrl, access, signal, maxProvenanceBytes),
    provenanceUrl,
  };
}

async function pull(
  { url, digest }: Extract<ResolvedChart, { kind: 'registry' }>,
  options: DownloadOptions,
  context: DownloadContext,
  signal: AbortSignal,
): Promise<DownloadedChart> {
  const reference = parseReference(url);
  const dispatcher = await connectToRegistry(options, context);
  let [reached, manifestDigest] = ['', ''];
  const onPulled = (pulled: string, pulledDigest: string) => {
    [reached, manifestDigest] = [pulled, pulledDigest];
    options.onPulled(pulledText(pulled, pulledDigest));
  };
  const { plainHttp, passCredentials } = options;
  const source = createChartSource({ dispatcher, plainHttp, onPulled });
  const credentials = { ...(await credentialsFor(reference, options, context)), passCredentials };
  const chartVersion = options.repo === '' ? options.version : undefined;
  const archive = await source.download({ chartName: url, chartVersion, ...credentials }, signal);
  if (digest !== '' && digitsOf(digest) !== digitsOf(manifestDigest)) await checkDigest(archive, digest, url);
  const address = `oci://${reference.digest === '' ? reached.replaceAll('_', '+') : reached}`;
  const settings = { dispatcher, plainHttp, onPulled, timeoutMs: defaultDownloadSettings.timeoutMs };
  return {
    reference: url,
    archive,
    fileName: archiveNameOf(reference, reached),
    provenance: () => pullProvenance(address, credentials, settings, signal),
    provenanceUrl: `${address}.prov`,
  };
}

/** Returns the credentials of the flags, or those that were stored by a login. */
export async function credentialsFor(
  { host }: Pick<ChartReference, 'host'>,
  { username, password }: { username: string; password: string },
  { settings, env }: Pick<DownloadContext, 'settings' | 'env'>,
): Promise<RegistryCredentials | undefined> {
  if (username !== '' && password !== '') return { username, password };
  return findRegistryCredentials(registryConfigFiles(settings.registryConfig, env), host);
}

/** Helm writes a chart that is given by its digest to `NAME@sha256-DIGEST.tgz`. */
function archiveNameOf({ host, repository, digest }: ChartReference, pulled: string): string {
  const name = basename(repository);
  if (digest !== '') return `${name}@${digest.replace(':', '-')}.tgz`;
  const tag = pulled.slice(`${host}/${repository}:`.length);
  return `${name}-${tag.replaceAll('_', '+')}.tgz`;
}

/**
 * Returns the name that Helm gives the file of a downloaded archive: the last part of its URL,
 * which the index of a repository can choose. Unlike Helm, refuses hidden files, and names with
 * characters that lead out of a folder or cannot be shown.
 */
export function archiveFileName(url: URL): string {
  const name = posix.basename(decodePercents(url.pathname));
  if (/^[^\\/.][^\\/]*$/.test(name) && !/\p{C}/u.test(name)) return name;
  throw new Error(`the URL ${shownUrl(url)} does not end with the name of a file: ${quote(name)} is not allowed`);
}

/** Whether a file is certainly an archive, or the signature of one, by its name. */
export function isArchiveName(name: string): boolean {
  return /\.(?:tgz|tar\.gz)(?:\.prov)?$/i.test(name);
}

/** Returns the versions of a chart in a registry. Throws `SourceError`. */
export async function registryVersions(
  url: string,
  connection: ConnectionOptions,
  context: DownloadContext,
  signal: AbortSignal,
): Promise<ChartVersion[]> {
  const reference = parseReference(url);
  const { timeoutMs } = defaultDownloadSettings;
  const settings = {
    dispatcher: await connectToRegistry(connection, context),
    plainHttp: connection.plainHttp,
    timeoutMs,
  };
  return listVersions(reference, { ...(await credentialsFor(reference, connection, context)) }, settings, signal);
}
