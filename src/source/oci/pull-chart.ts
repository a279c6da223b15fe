import { createHash } from 'node:crypto';
import { isVersion } from '../../go/semver.ts';
import { isJsonObject } from '../../objects/fields.ts';
import type { ChartRequest } from '../chart-request.ts';
import { checkDigest, digitsOf } from '../digest.ts';
import type { KeptDownloads } from '../disk/kept-downloads.ts';
import { downloadArchive } from '../download-archive.ts';
import { type DownloadSettings, maxProvenanceBytes } from '../download-settings.ts';
import { download } from '../http/download.ts';
import type { Credentials } from '../http/endpoint.ts';
import { type ChartVersion, selectVersion } from '../select-version.ts';
import { SourceError } from '../source-error.ts';
import type { FoundChart } from '../verification/chart-verification.ts';
import { cosignSignatures, type RegistryReader } from './cosign-signatures.ts';
import { chartManifest, listsManifest } from './image-index.ts';
import { versionsAt } from './list-versions.ts';
import { chartMediaTypes, notJson, parseObject } from './manifest.ts';
import { type ChartReference, parseReference, tagOf } from './reference.ts';
import { accessRegistry } from './registry-access.ts';

const { manifest: manifestType, index, content, oldContent, provenance } = chartMediaTypes;
/** The types that a tag may have. */
const manifestTypes = `${manifestType}, ${index}`;
const chartLayers: readonly string[] = [content, oldContent];
const mebibyte = 1024 * 1024;

/**
 * Downloads the archive of a chart from an OCI registry (pkg/registry/client.go): by digest, by
 * tag, or the newest version that satisfies the requested range. Throws {@link SourceError}, or the
 * signal's reason.
 */
export async function pullChart(
  url: string,
  request: ChartOfRegistry,
  settings: DownloadSettings,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const chart = await findManifest(url, request, settings, signal);
  const layer = layerOf(chart.manifest, chartLayers);
  if (layer === undefined) {
    const problem = 'is not a Helm chart: it has no chart layer; check the URL';
    throw new SourceError('repository_invalid', `${chart.what} ${problem}`);
  }
  if (digitsOf(request.digest ?? '') === digitsOf(chart.digest)) {
    const problem = `the requested digest is that of the manifest of ${chart.what}, not of its archive`;
    const advice = `give the archive's, ${layer}, or put the manifest's into the URL, after an @`;
    throw new SourceError('digest_mismatch', `${problem}; ${advice}`);
  }
  settings.onFound?.(foundChart(chart, layer));
  const archive = await chart.download(layer, `the archive of ${chart.what}`, settings.maxArchiveBytes, settings.kept);
  settings.onPulled?.(chart.reference, chart.digest);
  return archive;
}

/** Returns how to verify a chart with this layer. */
function foundChart(chart: FoundManifest, layer: string): FoundChart {
  const { manifest, digest: manifestDigest, version, name, what } = chart;
  const read: RegistryReader['read'] = async (kind, digest, where, maxBytes) => {
    if (kind === 'blobs') return await chart.download(digest, where, maxBytes);
    const content = await chart.get(`manifests/${digest}`, where, maxBytes, manifestType);
    await checkDigest(content, digest, where);
    return content;
  };
  const get: RegistryReader['get'] = (path, where, accept) => chart.get(path, where, mebibyte, accept);
  const provenanceLayer = layerOf(manifest, [provenance]);
  return {
    name,
    ...(version !== '' && { version }),
    ...(provenanceLayer !== undefined && {
      provenance: () => chart.download(provenanceLayer, `the signature of ${what}`, maxProvenanceBytes),
    }),
    registry: {
      manifest: manifestDigest,
      layer,
      signatures: () => cosignSignatures(manifestDigest, { get, read }),
    },
  };
}

/**
 * Downloads the signature of a chart in an OCI registry, like {@link pullChart}. The error has
 * Helm's text if the chart has none.
 */
export async function pullProvenance(
  url: string,
  request: ChartOfRegistry,
  settings: RegistrySettings & Pick<DownloadSettings, 'onPulled'>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const chart = await findManifest(url, request, settings, signal);
  const layer = layerOf(chart.manifest, [provenance]);
  if (layer === undefined) {
    throw new SourceError('repository_invalid', `manifest does not contain a layer with mediatype ${provenance}`);
  }
  const signature = await chart.download(layer, `the signature of ${chart.what}`, maxProvenanceBytes);
  settings.onPulled?.(chart.reference, chart.digest);
  return signature;
}

type ChartOfRegistry = Pick<ChartRequest, 'chartVersion' | 'digest'> & Credentials;
type RegistrySettings = Pick<DownloadSettings, 'dispatcher' | 'machine' | 'timeoutMs' | 'plainHttp' | 'waitForTurn'>;

interface FoundManifest {
  manifest: Buffer;
  /** Last part of the repository. */
  name: string;
  /** Empty if the chart is given by digest alone. */
  version: string;
  /** SHA-256 of the manifest, or of the index that lists it, with the prefix `sha256:`. */
  digest: string;
  /** Host, repository, and tag or digest. */
  reference: string;
  /** Names the chart in errors. */
  what: string;
  download(layer: string, where: string, maxBytes: number, kept?: KeptDownloads): Promise<Buffer>;
  get: Get;
}

/** Finds the manifest of a chart, and how to download what it lists. */
async function findManifest(
  url: string,
  request: ChartOfRegistry,
  settings: RegistrySettings,
  signal: AbortSignal,
): Promise<FoundManifest> {
  const reference = parseReference(url);
  const access = await accessRegistry(reference, request, settings, signal);
  const { dispatcher, machine, timeoutMs, waitForTurn } = settings;
  const get: Get = async (path, what, maxBytes, accept) => {
    const options = {
      what,
      maxBytes,
      dispatcher,
      machine,
      timeoutMs,
      waitForTurn,
      ...(accept !== undefined && { accept }),
    };
    return download(access.endpointAt(path), options, signal);
  };
  const list = () => versionsAt(reference.repository, access, settings, signal);
  const version = await resolveVersion(reference, request.chartVersion?.trim() ?? '', list);
  const tag = reference.digest || tagOf(version);
  const what = `the chart ${reference.repository} ${tag}`;
  const found = await get(`manifests/${tag}`, what, mebibyte, manifestTypes);
  const digest = `sha256:${createHash('sha256').update(found).digest('hex')}`;
  if (reference.digest !== '') {
    await checkDigest(found, reference.digest, what);
    if (version !== '') await requireSameManifest(version, digest, get);
  }
  const read = (listed: string) => get(`manifests/${listed}`, what, mebibyte, manifestType);
  const manifest = await chartManifest(found, what, read);
  return {
    manifest,
    name: reference.repository.split('/').at(-1) ?? '',
    version,
    get,
    digest,
    what,
    reference: `${reference.host}/${reference.repository}${reference.digest ? '@' : ':'}${tag}`,
    async download(layer, where, maxBytes, kept) {
      const blob = access.endpointAt(`blobs/${layer}`);
      // the registry issues another token each time, and has just shown the manifest to the caller
      const identity = { url: blob.url, authorization: undefined };
      const options = {
        what: where,
        where,
        digest: layer,
        maxBytes,
        dispatcher,
        machine,
        timeoutMs,
        waitForTurn,
        kept,
      };
      return downloadArchive(blob, { ...options, identity }, signal);
    },
  };
}

type Get = (path: string, what: string, maxBytes: number, accept?: string) => Promise<Buffer>;

/**
 * Refuses a version whose manifest does not have the digest, and whose index does not list it. A
 * version without either is fine.
 */
async function requireSameManifest(version: string, digest: string, get: Get): Promise<void> {
  const what = `the chart's version ${version}`;
  try {
    const found = await get(`manifests/${tagOf(version)}`, what, mebibyte, manifestTypes);
    if (!listsManifest(found, digest)) await checkDigest(found, digest, what);
  } catch (error) {
    if (!(error instanceof SourceError && error.code === 'repository_not_found')) throw error;
  }
}

/** Returns the version to pull; empty if the chart is given by digest alone. */
async function resolveVersion(
  { repository, tag, digest }: ChartReference,
  requested: string,
  list: () => Promise<ChartVersion[]>,
): Promise<string> {
  if (tag !== '' && requested !== '' && tag !== requested) {
    const text = `the chart's URL ends with :${tag}, but the requested version is ${requested}; give only one of them`;
    throw new SourceError('invalid_version', text);
  }
  const version = requested || tag;
  // a range is resolved by the list of tags
  if (isVersion(version) || digest !== '') return version;
  return selectVersion(repository, await list(), version).version;
}

/** Returns the digest of the first layer of these types, undefined if there is none. */
function layerOf(manifest: Buffer, types: readonly string[]): string | undefined {
  const { layers } = parseObject(manifest, 'a manifest');
  if (!Array.isArray(layers)) throw notJson('a manifest');
  for (const layer of layers as readonly unknown[]) {
    if (!isJsonObject(layer) || typeof layer.mediaType !== 'string') throw notJson('a manifest');
    if (!types.includes(layer.mediaType)) continue;
    if (typeof layer.digest === 'string') return layer.digest;
    throw notJson('a manifest');
  }
  return undefined;
}
