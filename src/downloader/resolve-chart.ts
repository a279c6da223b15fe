import { messageOf } from '../errors/index.ts';
import { quote } from '../go/strconv.ts';
import { fromBytes } from '../go/text.ts';
import { chartLocation } from '../source/chart-location.ts';
import {
  readRepositoriesFile,
  type RepositoriesFile,
  type RepositoryEntry,
} from '../source/configuration/repositories-file.ts';
import { digitsOf } from '../source/digest.ts';
import { parseHttpUrl, resolveReference } from '../source/http/http-url.ts';
import { findChart, type IndexedChart } from '../source/repository/find-chart.ts';
import { isVersionRange } from '../source/select-version.ts';
import { SourceError } from '../source/source-error.ts';
import { connect, type RepositoryAccess } from './connection.ts';
import type { DownloadContext } from './context.ts';
import type { ChartPathOptions } from './context.ts';
import { readCachedIndex } from './repository-cache.ts';
import { accessOf, downloadIndex, parseChartUrl, requireRepositoryUrl } from './repository-index.ts';

/** The address of a chart that was found. */
export type ResolvedChart =
  | {
      kind: 'registry';
      url: string;
      /** SHA-256 of the archive or the manifest, from the index; empty if it is not known. */
      digest: string;
    }
  | {
      kind: 'archive';
      url: URL;
      /** SHA-256 from the index of the repository, in hex; empty if it is not known. */
      digest: string;
      access: RepositoryAccess;
    };

type Options = Omit<ChartPathOptions, 'verify' | 'keyring'>;

/**
 * Finds out where the chart is that a user names: `oci://…`, a URL, `REPOSITORY/CHART` of a
 * repository that was added, or with a repository in the options the chart's name there
 * (pkg/downloader/chart_downloader.go: ResolveChartVersion). Throws an error with Helm's text.
 */
export async function resolveChart(
  name: string,
  options: Options,
  context: DownloadContext,
  signal: AbortSignal,
): Promise<ResolvedChart> {
  const location = chartLocation(name, options.repo);
  if (location.kind === 'repository') return inRepositoryAt(location.url, name, options, context, signal);
  if (location.kind === 'registry') return { kind: 'registry', url: name, digest: '' };
  const file = await readRepositoriesFile(context.settings.repositoryConfig);
  const { scheme, host, path } = parseChartUrl(name);
  if (scheme !== '' && host !== '' && path !== '') return atUrl(name, options, file, context);
  const [repository = '', ...rest] = path.split('/');
  if (rest.length === 0) {
    throw new Error(`non-absolute URLs should be in form of repo_name/path_to_chart, got: ${name}`);
  }
  return inKnownRepository(repository, rest.join('/'), options, file, context);
}

async function ownAccess(url: string, options: Options, context: DownloadContext): Promise<RepositoryAccess> {
  const { username, password, passCredentials } = options;
  return { url, username, password, passCredentials, dispatcher: await connect(options, context) };
}

/** The repository whose index has the URL gives its credentials and certificates. */
async function atUrl(
  name: string,
  options: Options,
  file: RepositoriesFile | undefined,
  context: DownloadContext,
): Promise<ResolvedChart> {
  const { scheme } = parseChartUrl(name);
  if (scheme !== 'http' && scheme !== 'https') throw new Error(`scheme ${quote(scheme)} not supported`);
  const owner = await ownerOf(name, file?.repositories ?? [], context);
  const own = await ownAccess(name, options, context);
  const access = owner === undefined ? own : withOwn(await accessOf(owner, context), owner, own);
  return { kind: 'archive', url: parseHttpUrl(name), digest: '', access };
}

/** Fills in from the flags whatever the entry of a repository does not have. */
function withOwn(access: RepositoryAccess, entry: RepositoryEntry, own: RepositoryAccess): RepositoryAccess {
  const hasCredentials = entry.username !== '' && entry.password !== '';
  const hasCertificates = entry.certFile !== '' || entry.keyFile !== '' || entry.caFile !== '';
  const { username, password, passCredentials } = hasCredentials ? access : own;
  const { dispatcher } = hasCertificates || entry.insecure_skip_tls_verify ? access : own;
  return { url: access.url, username, password, passCredentials, dispatcher };
}

async function ownerOf(
  url: string,
  repositories: readonly RepositoryEntry[],
  context: DownloadContext,
): Promise<RepositoryEntry | undefined> {
  for (const entry of repositories) {
    const index = await readCachedIndex(entry.name, context).catch((cause: unknown) => {
      throw noCachedIndex(cause);
    });
    if (index.includes(url)) return entry;
  }
  return undefined;
}

function noCachedIndex(cause: unknown): Error {
  const reason = messageOf(cause);
  return new Error(`no cached repo found. (try 'helm repo update'): ${reason}`, { cause });
}

async function inKnownRepository(
  repository: string,
  chartName: string,
  options: Options,
  file: RepositoriesFile | undefined,
  context: DownloadContext,
): Promise<ResolvedChart> {
  const entry = file?.repositories.find(({ name }) => name === repository);
  if (entry === undefined) throw new Error(`repo ${repository} not found`);
  if (entry.url === '') throw new Error(`no URL found for repository ${repository}`);
  requireRepositoryUrl(entry.url);
  const index = await readCachedIndex(repository, context).catch((cause: unknown) => {
    throw noCachedIndex(cause);
  });
  const chart = chartIn(index, chartName, options.version, context, (reason) => {
    const wanted = `chart ${quote(chartName)} matching ${options.version}`;
    return `${wanted} not found in ${repository} index. (try 'helm repo update'): ${reason}`;
  });
  const own = await ownAccess(entry.url, options, context);
  const access = withOwn(await accessOf(entry, context), entry, own);
  return archiveAt(resolveReference(parseHttpUrl(entry.url), chart.url), chart, access);
}

async function inRepositoryAt(
  repositoryUrl: string,
  chartName: string,
  options: Options,
  context: DownloadContext,
  signal: AbortSignal,
): Promise<ResolvedChart> {
  requireRepositoryUrl(repositoryUrl);
  const access = await ownAccess(repositoryUrl, options, context);
  const index = await downloadIndex(access, signal).catch((cause: unknown) => {
    const reason = messageOf(cause);
    const problem = `looks like ${quote(repositoryUrl)} is not a valid chart repository or cannot be reached`;
    throw new Error(`${problem}: ${reason}`, { cause });
  });
  const version = options.version === '' ? '' : ` version ${quote(options.version)}`;
  const chart = chartIn(fromBytes(index), chartName, options.version, context, () => {
    return `chart ${quote(chartName)}${version} not found in ${repositoryUrl} repository`;
  });
  return archiveAt(resolveReference(parseHttpUrl(repositoryUrl), chart.url), chart, access);
}

function archiveAt(url: URL, chart: IndexedChart, access: RepositoryAccess): ResolvedChart {
  if (url.protocol === 'oci:') {
    return { kind: 'registry', url: withVersion(url.href, chart.version), digest: chart.digest };
  }
  return { kind: 'archive', url, digest: digitsOf(chart.digest) ?? chart.digest, access };
}

function withVersion(url: string, version: string): string {
  return /[:@][^/]*$/.test(url.slice('oci://'.length).replace(/^[^/]*/, '')) ? url : `${url}:${version}`;
}

/** Finds a version in an index. `problem` returns Helm's text for a reason. */
function chartIn(
  index: string,
  chartName: string,
  wanted: string,
  { log }: DownloadContext,
  problem: (reason: string) => string,
): IndexedChart {
  try {
    const chart = findChart(index, { where: '', chartName, chartVersion: wanted });
    if (wanted !== '' && wanted !== chart.version && !isVersionRange(wanted)) {
      const attributes = { chart: chartName, requested: wanted, selected: chart.version };
      log.warn('unable to find exact version requested; falling back to closest available version', attributes);
    }
    return chart;
  } catch (cause) {
    if (!(cause instanceof SourceError)) throw cause;
    throw new Error(problem(reasonOf(cause, chartName, wanted)), { cause });
  }
}

function reasonOf(error: SourceError, chartName: string, wanted: string): string {
  switch (error.code) {
    case 'chart_not_found':
      return 'no chart name found';
    case 'version_not_found':
      return `no chart version found for ${chartName}-${wanted}`;
    case 'invalid_version':
      return error.cause instanceof Error ? error.cause.message : error.message;
    default:
      return error.message;
  }
}
