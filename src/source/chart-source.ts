import type { Dispatcher } from 'undici';
import type { ChartContent } from '../chart/load/chart-content.ts';
import type { ProxyEnvironment } from '../go/http-proxy.ts';
import { addDependencies } from './add-dependencies.ts';
import { type ChartLocation, chartLocation, isRegistryUrl, isUrl } from './chart-location.ts';
import { type ChartReader, createChartReader, type ReadOptions } from './chart-reader.ts';
import type { ChartRequest, ClientTls } from './chart-request.ts';
import { checkRequestedDigest } from './digest.ts';
import type { KeptDownloads } from './disk/kept-downloads.ts';
import { defaultDownloadSettings, type DownloadSettings, maxProvenanceBytes } from './download-settings.ts';
import { parseDeniedAddresses } from './http/denied-addresses.ts';
import { download } from './http/download.ts';
import { endpointFor } from './http/endpoint.ts';
import { parseHttpUrl, shownUrl, withoutTrailingSlashes } from './http/http-url.ts';
import { repositoryDispatcher } from './http/repository-dispatcher.ts';
import { loadLocalChart } from './local-chart.ts';
import { pullChart } from './oci/pull-chart.ts';
import { downloadFromRepository } from './repository/repository.ts';
import { SourceError } from './source-error.ts';
import { type FoundChart, ifPresent, verifyChart } from './verification/chart-verification.ts';
import type { WaitForTurn } from './wait-for-turn.ts';

export interface ChartSourceOptions {
  /** Folder below which charts may be named by path. Default: none, paths are refused. */
  localCharts?: string | undefined;
  /**
   * Dispatcher for HTTP requests, with its proxies and certificate authorities. Default: undici's
   * global one.
   */
  dispatcher?: Dispatcher | undefined;
  /**
   * Addresses that must not be connected to, for repositories, registries, token services and
   * redirects: `loopback`, `link-local`, `metadata`, `private`, addresses, and ranges such as
   * `10.0.0.0/8`. Through a proxy, which resolves names by itself, only addresses in URLs are
   * checked. Not used with a `dispatcher`. Default: none.
   */
  denyAddresses?: readonly string[] | undefined;
  /**
   * Environment with `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in either case. Not used with a
   * `dispatcher`. Default: no proxy.
   */
  proxyEnv?: ProxyEnvironment | undefined;
  /**
   * Whether to repeat a request that a server refuses for now (429, 500, 502, 503, 504) or that
   * breaks off, four times within eight seconds. Not used with a `dispatcher`. Default: false.
   */
  retry?: boolean | undefined;
  /** Downloads that are kept on disk. Default: none. */
  kept?: KeptDownloads | undefined;
  /**
   * Time limit of each download, redirects included, in milliseconds. Default: 120,000, as in Helm.
   */
  timeoutMs?: number | undefined;
  /** Size limit of a repository's index. Default: 32 MiB. */
  maxIndexBytes?: number | undefined;
  /** Size limit of a packed chart. Default: 100 MiB, as in Helm. */
  maxArchiveBytes?: number | undefined;
  /** Reads what was downloaded. Default: in the calling thread. */
  reader?: ChartReader | undefined;
  /** Returns an archive that was uploaded, by its digest. Default: uploads are not supported. */
  readUpload?: ((digest: string, signal: AbortSignal) => Promise<Uint8Array>) | undefined;
  /** Waits until the calling command may have large texts in memory. Default: it may at once. */
  waitForTurn?: WaitForTurn | undefined;
  /** The time at which signatures of charts have to be valid. Default: that of this machine. */
  now?: (() => Date) | undefined;
  /** The machine that downloads, for errors. Default: `this machine`. */
  machine?: DownloadSettings['machine'];
  /** Whether to access OCI registries over HTTP without TLS. Default: false. */
  plainHttp?: boolean | undefined;
  /** Called with the warnings that Helm logs during a download. Default: they are dropped. */
  onWarning?: DownloadSettings['onWarning'];
  /** Called after each chart pulled from a registry. Default: no call. */
  onPulled?: DownloadSettings['onPulled'];
}

/**
 * Finds charts: in HTTP repositories, in OCI registries, at URLs, and below the folder for local
 * charts.
 */
export interface ChartSource {
  /**
   * Fetches a chart and checks it. Throws {@link SourceError}, `ChartError`, or the signal's
   * reason.
   */
  load(request: ChartRequest, signal: AbortSignal): Promise<ChartContent>;
  /**
   * Downloads the archive of a chart that is not local. Throws {@link SourceError}, or the signal's
   * reason.
   */
  download(request: ChartRequest, signal: AbortSignal): Promise<Uint8Array>;
}

export function createChartSource(options: ChartSourceOptions = {}): ChartSource {
  const { localCharts, reader = createChartReader(), denyAddresses = [], proxyEnv, retry = false } = options;
  const dispatcherFor = (tls?: ClientTls) =>
    repositoryDispatcher({ denied: parseDeniedAddresses(denyAddresses), proxyEnv, retry, tls });
  const base = options.dispatcher ?? dispatcherFor();
  const settings: DownloadSettings = {
    dispatcher: base,
    timeoutMs: options.timeoutMs ?? defaultDownloadSettings.timeoutMs,
    maxIndexBytes: options.maxIndexBytes ?? defaultDownloadSettings.maxIndexBytes,
    maxArchiveBytes: options.maxArchiveBytes ?? defaultDownloadSettings.maxArchiveBytes,
    machine: options.machine,
    plainHttp: options.plainHttp ?? false,
    waitForTurn: options.waitForTurn,
    kept: options.kept,
    reader,
    onWarning: options.onWarning,
    onPulled: options.onPulled,
  };

  const download = async (
    request: ChartRequest,
    signal: AbortSignal,
    onFound?: DownloadSettings['onFound'],
  ): Promise<Uint8Array> => {
    const archive = await downloadAny(request, signal, onFound);
    await checkRequestedDigest(archive, request);
    return archive;
  };

  return {
    download: (request, signal) => download(request, signal),
    async load(request, signal) {
      const { dependencyUpdate = false } = request;
      const content = await loadContent(request, { mayBeIncomplete: dependencyUpdate }, signal);
      if (!dependencyUpdate || content.missing === undefined) return content;
      if (request.verification?.mode === 'always') throw unsignedDependencies(content);
      const { signature } = content;
      const complete = await addDependencies(content, request, { download, reader }, signal);
      return signature === undefined ? complete : { ...complete, signature };
    },
  };

  async function downloadAny(
    request: ChartRequest,
    signal: AbortSignal,
    onFound: DownloadSettings['onFound'],
  ): Promise<Uint8Array> {
    const { isMirrored = false, mirrors } = request;
    const limited = (to: Dispatcher) => (isMirrored && mirrors ? to.compose(onlyTo(mirrors.hosts)) : to);
    if (request.tls === undefined) {
      return downloadWith({ ...settings, dispatcher: limited(base), onFound }, request, signal);
    }
    const host = hostOf(locationOf(request));
    const own = dispatcherFor(request.tls);
    const dispatcher = base.compose((dispatch) => (dispatchOptions, handler) => {
      const isOwn = new URL(String(dispatchOptions.origin)).host === host;
      return isOwn ? own.dispatch(dispatchOptions, handler) : dispatch(dispatchOptions, handler);
    });
    // a file that a certificate opens is not kept for others, who may have none
    const kept = request.tls.cert === undefined ? settings.kept : undefined;
    try {
      return await downloadWith({ ...settings, dispatcher: limited(dispatcher), kept, onFound }, request, signal);
    } finally {
      await own.destroy();
    }
  }

  async function loadContent(request: ChartRequest, read: ReadOptions, signal: AbortSignal): Promise<ChartContent> {
    const { verification } = request;
    const verify = async (content: ChartContent, archive: Uint8Array | undefined, found: FoundChart) => {
      if (verification === undefined) return content;
      const { now = () => new Date() } = options;
      const signature = await verifyChart(content, archive, found, verification, { reader, now }, signal);
      return signature === undefined ? content : { ...content, signature };
    };
    const given = await givenArchive(request, signal);
    if (given !== undefined) {
      await checkRequestedDigest(given, request);
      const { provenance } = request;
      return verify(await reader.readArchive(given, signal, read), given, {
        ...(provenance !== undefined && { provenance: () => Promise.resolve(provenance) }),
      });
    }
    const location = locationOf(request);
    if (location.kind === 'name' && localCharts !== undefined) {
      const { maxArchiveBytes, waitForTurn } = settings;
      const local = { folder: localCharts, maxArchiveBytes, reader, waitForTurn, read, verify, digest: request.digest };
      return loadLocalChart(location.name, local, signal);
    }
    let found: FoundChart = {};
    const archive = await download(request, signal, (chart) => (found = chart));
    return verify(await reader.readArchive(archive, signal, read), archive, found);
  }

  /** Returns the archive that came with a request or was uploaded for it. */
  async function givenArchive({ archive, upload }: ChartRequest, signal: AbortSignal) {
    if (archive !== undefined || upload === undefined) return archive;
    const { readUpload } = options;
    if (!readUpload) throw new SourceError('unsupported', 'a chart can be uploaded only for an agent');
    return readUpload(upload, signal);
  }
}

/** Downloads the archive of a chart from where its request says. */
async function downloadWith(
  settings: DownloadSettings,
  request: ChartRequest,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const location = locationOf(request);
  switch (location.kind) {
    case 'registry':
      return pullChart(location.url, request, settings, signal);
    case 'repository':
      return downloadFromRepository(location.url, request, settings, signal);
    case 'url':
      return downloadFromUrl(location.url, request, settings, signal);
    case 'name':
      throw localChartsDisabled(location.name);
  }
}

/**
 * Returns where the chart of a request is. Throws {@link SourceError} if its name and its
 * repository do not fit.
 */
function locationOf({ chartName, repoUrl = '' }: ChartRequest): ChartLocation {
  const name = chartName.trim();
  if (name === '') {
    throw new SourceError('chart_not_found', 'the chart name is empty; give the name of a chart in the repository');
  }
  const location = chartLocation(name, repoUrl);
  if (location.kind === 'name') return { kind: 'name', name: chartName };
  if (location.kind !== 'repository') return location;
  if (isUrl(name)) {
    throw new SourceError(
      'unsupported',
      'both the chart name and the repository URL are URLs; give the name of a chart in the repository, or no repository URL',
    );
  }
  if (isRegistryUrl(repoUrl)) return { kind: 'registry', url: `${withoutTrailingSlashes(repoUrl)}/${name}` };
  return location;
}

/** Refuses requests to other hosts, also those of redirects. */
function onlyTo(hosts: ReadonlySet<string>): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const { host } = new URL(String(options.origin));
    if (hosts.has(host)) return dispatch(options, handler);
    throw new SourceError(
      'address_denied',
      `the mirror leads to ${host}, which is no mirror; let the owner of the cluster add it to the hosts of mirrors in the policy`,
    );
  };
}

/** Returns the host, with its port, of a repository, a registry or a URL. */
function hostOf(location: ChartLocation): string | undefined {
  if (location.kind === 'name') return undefined;
  // the URL parser knows the usual port of HTTPS only for its own scheme
  return URL.parse(location.url.replace(/^oci:/i, 'https:'))?.host;
}

/** Returns the last part of a URL's path, decoded. */
function fileNameOf({ pathname }: URL): string {
  const name = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function unsignedDependencies({ name, version }: ChartContent): SourceError {
  const problem = `the chart ${name} ${version} must be signed, and dependencies that are downloaded are not covered`;
  return new SourceError('chart_not_verified', `${problem}; put them into its archive: helm package -u`);
}

function localChartsDisabled(path: string): SourceError {
  return new SourceError(
    'local_charts_disabled',
    `without a repository URL the chart ${JSON.stringify(path)} is a path, and the agent does not allow paths; give a repository URL, or start the agent with --local-charts DIR`,
  );
}

/**
 * Downloads the archive of a chart from its URL. Throws {@link SourceError}, or the signal's
 * reason.
 */
async function downloadFromUrl(
  address: string,
  request: ChartRequest,
  { dispatcher, machine, timeoutMs, maxArchiveBytes, waitForTurn, kept, onFound }: DownloadSettings,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const url = parseHttpUrl(address, "the chart's URL");
  onFound?.({
    fileName: fileNameOf(url),
    provenance: () => {
      const what = `the signature of the chart at ${shownUrl(url)}`;
      const options = { what, maxBytes: maxProvenanceBytes, dispatcher, machine, timeoutMs, waitForTurn };
      return ifPresent(() => download(endpointFor(new URL(`${url.href}.prov`), url, request), options, signal));
    },
  });
  return download(
    endpointFor(url, url, request),
    {
      what: `the archive of the chart at ${shownUrl(url)}`,
      maxBytes: maxArchiveBytes,
      accept: 'application/gzip,application/octet-stream',
      dispatcher,
      machine,
      timeoutMs,
      waitForTurn,
      kept,
    },
    signal,
  );
}
