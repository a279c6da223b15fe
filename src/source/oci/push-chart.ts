import { createHash } from 'node:crypto';
import type { Dispatcher } from 'undici';
import type { ChartMetadata } from '../../chart/metadata/metadata.ts';
import { metadataJson } from '../../chart/metadata/write-metadata.ts';
import { compareStrings } from '../../go/text.ts';
import { defaultDownloadSettings } from '../download-settings.ts';
import type { Credentials, Endpoint } from '../http/endpoint.ts';
import { requestFailure, statusFailure } from '../http/http-failure.ts';
import { requireHttp } from '../http/http-url.ts';
import { isRedirect, maxRedirects, redirected, tooManyRedirects } from '../http/redirect.ts';
import { refusalOf } from '../http/refusal.ts';
import { requestFrom } from '../http/url-request.ts';
import { SourceError } from '../source-error.ts';
import { chartMediaTypes as types } from './manifest.ts';
import { type ChartReference, tagOf } from './reference.ts';
import { accessRegistry, type RegistryAccess } from './registry-access.ts';

/** A chart to push to a registry. */
export interface PushedChart {
  readonly metadata: ChartMetadata;
  readonly archive: Uint8Array;
  /** The signature of the archive. Default: none. */
  readonly provenance?: Uint8Array | undefined;
  /** When the archive was written. */
  readonly created: Date;
}

/** How to connect to the registry. */
export interface RegistryClient {
  readonly dispatcher: Dispatcher | undefined;
  /** Whether to use HTTP without TLS. */
  readonly plainHttp: boolean;
}

interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly data: Uint8Array;
}

/**
 * Pushes a chart to an OCI registry as Helm does (pkg/registry/client.go: Push), and returns its
 * tag and the digest of its manifest. Throws {@link SourceError}, or the signal's reason.
 */
export async function pushChart(
  reference: ChartReference,
  chart: PushedChart,
  credentials: Credentials,
  client: RegistryClient,
  signal: AbortSignal,
): Promise<{ tag: string; digest: string }> {
  const settings = { ...client, timeoutMs: defaultDownloadSettings.timeoutMs };
  const access = await accessRegistry(reference, credentials, settings, signal, 'pull,push');
  const config = blobOf(types.config, Buffer.from(metadataJson(chart.metadata)));
  const layers = [blobOf(types.content, chart.archive)];
  if (chart.provenance !== undefined) layers.push(blobOf(types.provenance, chart.provenance));
  layers.sort((a, b) => compareStrings(a.digest, b.digest));
  const send: Send = (method, url, data, headers) => sendRequest(method, url, data, headers, settings, signal);
  for (const blob of [config, ...layers]) await upload(blob, access, send);
  const manifest = blobOf(types.manifest, Buffer.from(manifestJson(chart, config, layers)));
  const tag = tagOf(chart.metadata.version);
  const response = await send('PUT', access.endpointAt(`manifests/${tag}`), manifest.data, {
    'content-type': types.manifest,
  });
  requireStatus(response, [201, 202], 'the manifest');
  requireDigest(response, manifest.digest);
  return { tag, digest: manifest.digest };
}

function blobOf(mediaType: string, data: Uint8Array): Blob {
  return { mediaType, digest: `sha256:${createHash('sha256').update(data).digest('hex')}`, data };
}

function manifestJson(chart: PushedChart, config: Blob, layers: readonly Blob[]): string {
  const annotations = Object.entries(annotationsOf(chart)).toSorted(([a], [b]) => compareStrings(a, b));
  return JSON.stringify({
    schemaVersion: 2,
    config: descriptorOf(config),
    layers: layers.map(descriptorOf),
    annotations: Object.fromEntries(annotations),
  });
}

function descriptorOf({ mediaType, digest, data }: Blob) {
  return { mediaType, digest, size: data.length };
}

/** Returns the annotations of the manifest (pkg/registry/chart.go: generateOCIAnnotations). */
function annotationsOf({ metadata, created }: PushedChart): Record<string, string> {
  const { name, version, description = '', home = '', sources = [], maintainers = [] } = metadata;
  const own = {
    description,
    title: name,
    version,
    url: home,
    created: created.toISOString().replace(/\.\d+Z$/, 'Z'),
    source: sources[0] ?? '',
    authors: maintainers.map(({ name = '', email = '' }) => (email === '' ? name : `${name} (${email})`)).join(', '),
  };
  const named = Object.entries(own).map(([key, text]) => [`org.opencontainers.image.${key}`, text] as const);
  const fixed = ['org.opencontainers.image.title', 'org.opencontainers.image.version'];
  const given = Object.entries(metadata.annotations ?? {}).filter(([key]) => !fixed.includes(key));
  return Object.fromEntries([...named.filter(([, text]) => text.trim() !== ''), ...given]);
}

type Headers = Readonly<Record<string, string>>;

interface Answer {
  readonly endpoint: Endpoint;
  readonly statusCode: number;
  /** Such as `404 Not Found`. */
  readonly line: string;
  readonly location: string | undefined;
  /** Of what the registry has stored, if it says so. */
  readonly digest: string | undefined;
  /** Why the registry refuses the request. Empty if it does not, or does not say so. */
  readonly refusal: string;
}

type Send = (
  method: 'HEAD' | 'POST' | 'PUT',
  endpoint: Endpoint,
  data?: Uint8Array,
  headers?: Headers,
) => Promise<Answer>;

/** Uploads a blob in one piece, unless the registry has it. */
async function upload({ digest, data }: Blob, access: RegistryAccess, send: Send): Promise<void> {
  const what = 'a part of the chart';
  const existing = await find(access.endpointAt(`blobs/${digest}`), send);
  if (existing.statusCode === 200) return;
  if (existing.statusCode !== 404) throw refused(existing, what);
  const started = await send('POST', access.endpointAt('blobs/uploads/'));
  requireStatus(started, [202], what);
  const endpoint = uploadEndpoint(started, digest);
  const done = await send('PUT', endpoint, data, { 'content-type': 'application/octet-stream' });
  requireStatus(done, [201, 202], what);
}

/** Asks for a blob, which the registry may have in a storage on another host. */
async function find(first: Endpoint, send: Send): Promise<Answer> {
  let endpoint = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const answer = await send('HEAD', endpoint);
    if (!isRedirect(answer.statusCode) || answer.location === undefined) return answer;
    endpoint = redirected(endpoint, answer.location);
  }
  throw tooManyRedirects('could not upload a part of the chart', first);
}

/** As in Helm, the upload stays on the host of the registry, and does not give up TLS. */
function uploadEndpoint({ endpoint, location = '' }: Answer, digest: string): Endpoint {
  if (location === '' || !URL.canParse(location, endpoint.url.href)) {
    throw new SourceError('repository_invalid', 'the registry does not say where to upload the chart; see its log');
  }
  const url = new URL(location, endpoint.url);
  requireHttp(url, 'the address that the registry gives for the upload');
  if (url.host !== endpoint.url.host || (endpoint.url.protocol === 'https:' && url.protocol === 'http:')) {
    const problem = `the registry at ${endpoint.url.origin} wants the chart to be uploaded to ${url.origin}`;
    throw new SourceError('repository_invalid', `${problem}, which is refused; check the settings of the registry`);
  }
  url.searchParams.set('digest', digest);
  return { url, authorization: url.origin === endpoint.url.origin ? endpoint.authorization : undefined };
}

function requireStatus(answer: Answer, right: readonly number[], what: string): void {
  if (!right.includes(answer.statusCode)) throw refused(answer, what);
}

/** As in Helm, the registry must have stored the manifest as it was sent. */
function requireDigest({ digest, endpoint }: Answer, expected: string): void {
  if (digest === undefined || digest === expected) return;
  const stored = `the registry at ${endpoint.url.origin} has stored another manifest than the one that was pushed`;
  const problem = `${stored}: its digest is not ${expected}; see the log of the registry`;
  throw new SourceError('digest_mismatch', problem);
}

function refused({ line, endpoint, refusal }: Answer, what: string): SourceError {
  return statusFailure(line, endpoint, { what, action: 'upload' }, refusal);
}

async function sendRequest(
  method: 'HEAD' | 'POST' | 'PUT',
  endpoint: Endpoint,
  data: Uint8Array | undefined,
  headers: Headers = {},
  { dispatcher, timeoutMs }: RegistryClient & { timeoutMs: number },
  signal: AbortSignal,
): Promise<Answer> {
  const { url, authorization } = endpoint;
  try {
    const {
      statusCode,
      statusText,
      headers: answered,
      body,
    } = await requestFrom(url, {
      method,
      headers: { 'user-agent': 'helm-agent', ...headers, ...(authorization !== undefined && { authorization }) },
      body: data ?? null,
      signal,
      headersTimeout: timeoutMs,
      dispatcher,
    });
    const refusal = statusCode < 400 ? '' : await refusalOf(body);
    await body.dump();
    const location = [answered.location ?? []].flat()[0];
    const digest = [answered['docker-content-digest'] ?? []].flat()[0];
    return { endpoint, statusCode, line: `${statusCode} ${statusText}`.trim(), location, digest, refusal };
  } catch (error) {
    signal.throwIfAborted();
    throw requestFailure(error, url, { what: 'the registry', action: 'connect', timeoutMs }, false);
  }
}
