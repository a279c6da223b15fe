import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseVersion } from '../../go/semver.ts';
import type { ChartRequest } from '../chart-request.ts';
import { checkDigest } from '../digest.ts';
import { download } from '../http/download.ts';
import type { DownloadSettings } from '../download-settings.ts';
import { selectVersion, type ChartVersion } from '../select-version.ts';
import { SourceError } from '../source-error.ts';
import { isVersion, parseReference, tagOf, type ChartReference } from './reference.ts';
import { accessRegistry } from './registry-access.ts';

const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const chartLayers = ['application/vnd.cncf.helm.chart.content.v1.tar+gzip', 'application/tar+gzip'];
const tagsPerPage = 1000;
const mebibyte = 1024 * 1024;

const tagsSchema = z.object({ tags: z.array(z.string()).nullish() });
const manifestSchema = z.object({ layers: z.array(z.object({ mediaType: z.string(), digest: z.string() })) });

/**
 * Downloads the archive of a chart from an OCI registry (pkg/registry/client.go): by digest, by
 * tag, or the newest version that satisfies the requested range. Throws {@link SourceError}, or the
 * signal's reason.
 */
export async function pullChart(
  url: string,
  request: Pick<ChartRequest, 'chartVersion' | 'username' | 'password'>,
  settings: DownloadSettings,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const reference = parseReference(url);
  const access = await accessRegistry(reference, request, settings, signal);
  const get: Get = async (path, what, maxBytes, accept) => {
    const { dispatcher, timeoutMs } = settings;
    const options = { what, maxBytes, dispatcher, timeoutMs, ...(accept !== undefined && { accept }) };
    return download(access.endpointAt(path), options, signal);
  };
  const version = await resolveVersion(reference, request.chartVersion?.trim() ?? '', get);
  const name = reference.digest || tagOf(version);
  const what = `the chart ${reference.repository} ${name}`;
  const manifest = await get(`manifests/${name}`, what, mebibyte, manifestType);
  const digest = `sha256:${createHash('sha256').update(manifest).digest('hex')}`;
  if (reference.digest !== '') {
    checkDigest(manifest, reference.digest, what);
    if (version !== '') await requireSameManifest(version, digest, get);
  }
  const layer = chartLayerOf(manifest, what);
  const archive = await get(`blobs/${layer}`, `the archive of ${what}`, settings.maxArchiveBytes);
  checkDigest(archive, layer, `the archive of ${what}`);
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
    checkDigest(await get(`manifests/${tagOf(version)}`, what, mebibyte, manifestType), digest, what);
  } catch (error) {
    if (!(error instanceof SourceError && error.code === 'repository_not_found')) throw error;
  }
}

/** Returns the version to pull; empty if the chart is given by digest alone. */
async function resolveVersion(
  { repository, tag, digest }: ChartReference,
  requested: string,
  get: Get,
): Promise<string> {
  if (tag !== '' && requested !== '' && tag !== requested) {
    const text = `the chart's URL ends with :${tag}, but the requested version is ${requested}; give only one of them`;
    throw new SourceError('invalid_version', text);
  }
  const version = requested || tag;
  if (isVersion(version) || digest !== '') return version;
  const versions = (await listTags(repository, get)).flatMap(versionsOfTag);
  return selectVersion(repository, versions, version).version;
}

/** Lists all tags, page by page: registries limit the size of a page. */
async function listTags(repository: string, get: Get): Promise<string[]> {
  const tags: string[] = [];
  for (;;) {
    const last = tags.length === 0 ? '' : `&last=${encodeURIComponent(tags.at(-1) ?? '')}`;
    const page = await get(`tags/list?n=${tagsPerPage}${last}`, `the list of versions of ${repository}`, 16 * mebibyte);
    const added = (parse(tagsSchema, page, 'a list of versions').tags ?? []).filter((tag) => !tags.includes(tag));
    if (added.length === 0) return tags;
    tags.push(...added);
  }
}

/** Returns nothing for a tag that is not a version. */
function versionsOfTag(tag: string): ChartVersion[] {
  const version = tag.replaceAll('_', '+');
  const isStrict = /^\d+\.\d+\.\d+(?:[-+]|$)/.test(version) && isVersion(version);
  return isStrict ? [{ version, parts: parseVersion(version) }] : [];
}

function chartLayerOf(manifest: Buffer, what: string): string {
  const { layers } = parse(manifestSchema, manifest, 'a manifest');
  const layer = layers.find(({ mediaType }) => chartLayers.includes(mediaType));
  if (layer !== undefined) return layer.digest;
  throw new SourceError('repository_invalid', `${what} is not a Helm chart: it has no chart layer; check the URL`);
}

function parse<T>(schema: z.ZodType<T>, data: Buffer, what: string): T {
  const result = schema.safeParse(parseJson(data));
  if (result.success) return result.data;
  throw new SourceError('repository_invalid', `the registry's response is not ${what}; check the chart's URL`);
}

function parseJson(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined; // refused by the schema
  }
}
