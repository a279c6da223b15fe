import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseVersion } from '../../go/semver.ts';
import type { ChartRequest } from '../chart-request.ts';
import { checkDigest } from '../digest.ts';
import { download } from '../download.ts';
import type { IndexedVersion } from '../index-entry.ts';
import type { RepositoryOptions } from '../repository.ts';
import { selectVersion } from '../select-version.ts';
import { SourceError } from '../source-error.ts';
import { isVersion, parseReference, tagOf, type ChartReference } from './reference.ts';
import { accessRegistry } from './registry-access.ts';

const manifestTypes = 'application/vnd.oci.image.manifest.v1+json';
const chartLayers = ['application/vnd.cncf.helm.chart.content.v1.tar+gzip', 'application/tar+gzip'];
const tagsAtATime = 1000;
const mebibyte = 1024 * 1024;

const tagsSchema = z.object({ tags: z.array(z.string()).nullish() });
const manifestSchema = z.object({ layers: z.array(z.object({ mediaType: z.string(), digest: z.string() })) });

/**
 * Downloads the archive of a chart that a registry keeps (pkg/registry/client.go): by digest, by tag, or the newest version that is wanted. Throws
 * {@link SourceError}, or the signal's reason.
 */
export async function pullChart(
  request: ChartRequest,
  options: RepositoryOptions,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const reference = parseReference(request.chartName);
  const access = await accessRegistry(reference, request, options, signal);
  const get = async (path: string, what: string, maxBytes: number, accept?: string) => {
    const { dispatcher, timeoutMs } = options;
    const limits = { what, maxBytes, dispatcher, timeoutMs, ...(accept !== undefined && { accept }) };
    return download(access.target(path), limits, signal);
  };
  const wanted = request.chartVersion?.trim() ?? '';
  const version = await versionOf(reference, wanted, get);
  const name = reference.digest || tagOf(version);
  const what = `the chart ${reference.repository} ${name}`;
  const manifest = await get(`manifests/${name}`, what, mebibyte, manifestTypes);
  const digest = `sha256:${createHash('sha256').update(manifest).digest('hex')}`;
  if (reference.digest !== '') {
    checkDigest(manifest, reference.digest, what);
    if (version !== '') await requireSame(version, digest, get);
  }
  const layer = layerIn(manifest, what);
  const archive = await get(`blobs/${layer}`, `the archive of ${what}`, options.maxArchiveBytes);
  checkDigest(archive, layer, `the archive of ${what}`);
  options.pulled?.(`${reference.host}/${reference.repository}${reference.digest ? '@' : ':'}${name}`, digest);
  return archive;
}

type Get = (path: string, what: string, maxBytes: number, accept?: string) => Promise<Buffer>;

/** Refuses a version that is another chart than that of the digest; it may as well not be there. */
async function requireSame(version: string, digest: string, get: Get): Promise<void> {
  const what = `the chart's version ${version}`;
  try {
    checkDigest(await get(`manifests/${tagOf(version)}`, what, mebibyte, manifestTypes), digest, what);
  } catch (error) {
    if (!(error instanceof SourceError && error.code === 'repository_not_found')) throw error;
  }
}

/** Empty where a digest alone says what is wanted. */
async function versionOf({ repository, tag, digest }: ChartReference, wanted: string, get: Get): Promise<string> {
  if (tag !== '' && wanted !== '' && tag !== wanted) {
    const text = `the chart's address ends with :${tag}, and --version says ${wanted}; leave one of them out`;
    throw new SourceError('invalid_version', text);
  }
  const version = wanted || tag;
  if (isVersion(version) || digest !== '') return version;
  const versions = (await allTags(repository, get)).flatMap(versionOfTag);
  return selectVersion(repository, versions, version).version;
}

/** Page by page: registries bound how many they list. */
async function allTags(repository: string, get: Get): Promise<string[]> {
  const tags: string[] = [];
  for (;;) {
    const last = tags.length === 0 ? '' : `&last=${encodeURIComponent(tags.at(-1) ?? '')}`;
    const page = await get(`tags/list?n=${tagsAtATime}${last}`, `the list of versions of ${repository}`, 16 * mebibyte);
    const fresh = (parsed(tagsSchema, page, 'the list of versions').tags ?? []).filter((tag) => !tags.includes(tag));
    if (fresh.length === 0) return tags;
    tags.push(...fresh);
  }
}

/** Nothing for a tag that is no version. */
function versionOfTag(tag: string): IndexedVersion[] {
  const version = tag.replaceAll('_', '+');
  const isStrict = /^\d+\.\d+\.\d+(?:[-+]|$)/.test(version) && isVersion(version);
  return isStrict ? [{ version, parts: parseVersion(version), urls: [], digest: '' }] : [];
}

function layerIn(manifest: Buffer, what: string): string {
  const { layers } = parsed(manifestSchema, manifest, 'the manifest');
  const layer = layers.find(({ mediaType }) => chartLayers.includes(mediaType));
  if (layer !== undefined) return layer.digest;
  throw new SourceError('repository_invalid', `${what} is no chart: none of its layers is one; check the address`);
}

function parsed<T>(schema: z.ZodType<T>, data: Buffer, what: string): T {
  const result = schema.safeParse(json(data));
  if (result.success) return result.data;
  throw new SourceError('repository_invalid', `what the registry answers is not ${what}; check the chart's address`);
}

function json(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined; // matches no schema
  }
}
