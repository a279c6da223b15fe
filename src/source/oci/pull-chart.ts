import { createHash } from 'node:crypto';
import { parseVersion } from '../../go/semver.ts';
import type { ChartRequest } from '../chart-request.ts';
import { checkDigest } from '../digest.ts';
import { download, downloadPage, type DownloadOptions } from '../http/download.ts';
import { shownUrl } from '../http/shown-url.ts';
import type { DownloadSettings } from '../download-settings.ts';
import { selectVersion, type ChartVersion } from '../select-version.ts';
import { SourceError } from '../source-error.ts';
import { isVersion, parseReference, tagOf, type ChartReference } from './reference.ts';
import { nextPage } from './challenge.ts';
import { accessRegistry, type Credentials, type RegistryAccess } from './registry-access.ts';

const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const chartLayers = ['application/vnd.cncf.helm.chart.content.v1.tar+gzip', 'application/tar+gzip'];
const tagsPerPage = 1000;
/** Limits of a list of tags. The largest repositories of charts have a few thousand. */
const mostPages = 100;
const mostTags = 10_000;
const mebibyte = 1024 * 1024;

/**
 * Downloads the archive of a chart from an OCI registry (pkg/registry/client.go): by digest, by
 * tag, or the newest version that satisfies the requested range. Throws {@link SourceError}, or the
 * signal's reason.
 */
export async function pullChart(
  url: string,
  request: Pick<ChartRequest, 'chartVersion'> & Credentials,
  settings: DownloadSettings,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const reference = parseReference(url);
  const access = await accessRegistry(reference, request, settings, signal);
  const get: Get = async (path, what, maxBytes, accept) => {
    const { dispatcher, timeoutMs, waitForTurn } = settings;
    const options = { what, maxBytes, dispatcher, timeoutMs, waitForTurn, ...(accept !== undefined && { accept }) };
    return download(access.endpointAt(path), options, signal);
  };
  const list = () => listTags(reference.repository, access, settings, signal);
  const version = await resolveVersion(reference, request.chartVersion?.trim() ?? '', list);
  const name = reference.digest || tagOf(version);
  const what = `the chart ${reference.repository} ${name}`;
  const manifest = await get(`manifests/${name}`, what, mebibyte, manifestType);
  const digest = `sha256:${createHash('sha256').update(manifest).digest('hex')}`;
  if (reference.digest !== '') {
    await checkDigest(manifest, reference.digest, what);
    if (version !== '') await requireSameManifest(version, digest, get);
  }
  const layer = chartLayerOf(manifest, what);
  const archive = await get(`blobs/${layer}`, `the archive of ${what}`, settings.maxArchiveBytes);
  await checkDigest(archive, layer, `the archive of ${what}`);
  settings.onPulled?.(`${reference.host}/${reference.repository}${reference.digest ? '@' : ':'}${name}`, digest);
  return archive;
}

type Get = (path: string, what: string, maxBytes: number, accept?: string) => Promise<Buffer>;

/**
 * Refuses a version whose manifest does not have the digest. A version without a manifest is fine.
 */
async function requireSameManifest(version: string, digest: string, get: Get): Promise<void> {
  const what = `the chart's version ${version}`;
  try {
    await checkDigest(await get(`manifests/${tagOf(version)}`, what, mebibyte, manifestType), digest, what);
  } catch (error) {
    if (!(error instanceof SourceError && error.code === 'repository_not_found')) throw error;
  }
}

/** Returns the version to pull; empty if the chart is given by digest alone. */
async function resolveVersion(
  { repository, tag, digest }: ChartReference,
  requested: string,
  list: () => Promise<string[]>,
): Promise<string> {
  if (tag !== '' && requested !== '' && tag !== requested) {
    const text = `the chart's URL ends with :${tag}, but the requested version is ${requested}; give only one of them`;
    throw new SourceError('invalid_version', text);
  }
  const version = requested || tag;
  if (isVersion(version) || digest !== '') return version;
  const versions = (await list()).flatMap(versionsOfTag);
  return selectVersion(repository, versions, version).version;
}

/**
 * Lists all tags, page by page: registries limit the size of a page. The next page is the one in
 * the `Link` header, which must be on the same host, or else the one after the last tag.
 */
async function listTags(
  repository: string,
  access: RegistryAccess,
  { dispatcher, timeoutMs }: DownloadSettings,
  signal: AbortSignal,
): Promise<string[]> {
  const tags = new Set<string>();
  const what = `the list of versions of ${repository}`;
  const first = access.endpointAt(`tags/list?n=${tagsPerPage}`);
  let endpoint = first;
  for (let pages = 0; pages < mostPages; pages++) {
    const options: DownloadOptions = { what, maxBytes: mebibyte, dispatcher, timeoutMs };
    const { body, link } = await downloadPage(endpoint, options, signal);
    const known = tags.size;
    for (const tag of tagsIn(body)) {
      tags.add(tag);
      if (tags.size > mostTags) throw tooManyTags(what, `${mostTags} versions`);
    }
    if (tags.size === known) return [...tags];
    const next = nextPage(link);
    const last = Array.from(tags).at(-1) ?? '';
    endpoint =
      next === undefined
        ? access.endpointAt(`tags/list?n=${tagsPerPage}&last=${encodeURIComponent(last)}`)
        : { url: sameHost(next, endpoint.url, what), authorization: first.authorization };
  }
  throw tooManyTags(what, `${mostPages} pages`);
}

function tooManyTags(what: string, limit: string): SourceError {
  return new SourceError('too_large', `${what} has more than ${limit}; give the exact version of the chart`);
}

/** Resolves the reference of the next page, which gets the credentials, too. */
function sameHost(reference: string, page: URL, what: string): URL {
  const url = URL.canParse(reference, page.href) ? new URL(reference, page) : undefined;
  if (url?.origin === page.origin) return url;
  const problem = `${what} continues on another host than ${shownUrl(page)}; check the chart's URL`;
  throw new SourceError('repository_invalid', problem);
}

/** Returns nothing for a tag that is not a version. */
function versionsOfTag(tag: string): ChartVersion[] {
  const version = tag.replaceAll('_', '+');
  const isStrict = /^\d+\.\d+\.\d+(?:[-+]|$)/.test(version) && isVersion(version);
  return isStrict ? [{ version, parts: parseVersion(version) }] : [];
}

function chartLayerOf(manifest: Buffer, what: string): string {
  const { layers } = parseObject(manifest, 'a manifest');
  if (!Array.isArray(layers)) throw notJson('a manifest');
  for (const layer of layers as readonly unknown[]) {
    if (!isObject(layer) || typeof layer.mediaType !== 'string') throw notJson('a manifest');
    if (!chartLayers.includes(layer.mediaType)) continue;
    if (typeof layer.digest === 'string') return layer.digest;
    throw notJson('a manifest');
  }
  throw new SourceError('repository_invalid', `${what} is not a Helm chart: it has no chart layer; check the URL`);
}

/** Reads a page of tags. A schema would collect a problem for each of a million wrong ones. */
function tagsIn(page: Buffer): string[] {
  const what = 'a list of versions';
  const { tags } = parseObject(page, what);
  if (tags === undefined || tags === null) return [];
  if (!Array.isArray(tags)) throw notJson(what);
  return (tags as readonly unknown[]).map((tag) => {
    if (typeof tag !== 'string') throw notJson(what);
    return tag;
  });
}

function parseObject(data: Buffer, what: string): Record<string, unknown> {
  const value = parseJson(data);
  if (!isObject(value)) throw notJson(what);
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function notJson(what: string): SourceError {
  return new SourceError('repository_invalid', `the registry's response is not ${what}; check the chart's URL`);
}

function parseJson(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined; // not an object, so it is refused
  }
}
