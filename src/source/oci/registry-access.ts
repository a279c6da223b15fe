import { request } from 'undici';
import { z } from 'zod';
import type { ChartRequest } from '../chart-request.ts';
import { download } from '../http/download.ts';
import type { DownloadSettings } from '../download-settings.ts';
import { basicAuthorization, type Endpoint } from '../http/endpoint.ts';
import { requestFailure } from '../http/http-failure.ts';
import { requireHttp } from '../http/http-url.ts';
import { SourceError } from '../source-error.ts';
import { bearerChallenge } from './challenge.ts';
import type { ChartReference } from './reference.ts';
import { isOwnTokenService } from './token-service.ts';

/** The credentials for a registry, and whether other hosts may get them. */
export type Credentials = Pick<ChartRequest, 'username' | 'password' | 'passCredentials'>;

const tokenSchema = z.object({ token: z.string().optional(), access_token: z.string().optional() });

/** Access to one repository of a registry. */
export interface RegistryAccess {
  /** Returns the endpoint for a path below `/v2/REPOSITORY/`. */
  endpointAt(path: string): Endpoint;
}

/**
 * Determines how a registry authenticates clients: not at all, by user name and password, or by a
 * token that its token service issues for them (distribution project: token authentication). Gets
 * the token if one is required. The credentials are sent to a token service on another domain only
 * with `passCredentials`. Throws {@link SourceError}, or the signal's reason.
 */
export async function accessRegistry(
  { host, repository }: ChartReference,
  { username = '', password = '', passCredentials = false }: Credentials,
  settings: DownloadSettings,
  signal: AbortSignal,
): Promise<RegistryAccess> {
  const base = new URL(`${settings.plainHttp ? 'http' : 'https'}://${host}/v2/`);
  const basic = username === '' || password === '' ? undefined : basicAuthorization(username, password);
  const challenge = await readChallenge(base, settings, signal);
  const endpointAt = (path: string, authorization: string | undefined): Endpoint => ({
    url: new URL(`${base.href}${repository}/${path}`),
    authorization,
  });
  if (challenge === undefined) return { endpointAt: (path) => endpointAt(path, basic) };
  const url = tokenUrl(challenge, base, repository);
  if (basic !== undefined && !passCredentials && !isOwnTokenService(url, base)) throw foreignService(url);
  const token = await fetchToken({ url, authorization: basic }, settings, signal);
  return { endpointAt: (path) => endpointAt(path, `Bearer ${token}`) };
}

function foreignService({ host }: URL): SourceError {
  return new SourceError(
    'repository_unauthorized',
    `the registry names ${host} as its token service, which is on another domain, so the user name and the password are not sent there; if it is right, set passCredentials`,
  );
}

/** Returns the parameters of the registry's `Bearer` challenge; undefined if it sends none. */
async function readChallenge(
  url: URL,
  { dispatcher, timeoutMs }: DownloadSettings,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const { statusCode, headers, body } = await request(url, {
      headers: { 'user-agent': 'helm-agent' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      reset: true,
      ...(dispatcher && { dispatcher }),
    });
    await body.dump();
    return statusCode === 401 ? bearerChallenge([headers['www-authenticate'] ?? []].flat()) : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SourceError) throw error;
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    throw requestFailure(error, url, { what: 'the registry', timeoutMs }, timedOut);
  }
}

function tokenUrl(challenge: ReadonlyMap<string, string>, registry: URL, repository: string): URL {
  const realm = challenge.get('realm') ?? '';
  if (!URL.canParse(realm)) throw invalidToken('gives no valid URL for it');
  const url = new URL(realm);
  requireHttp(url, "the URL of the registry's token service");
  if (registry.protocol === 'https:' && url.protocol === 'http:') throw invalidToken('issues it without TLS');
  const service = challenge.get('service');
  if (service !== undefined) url.searchParams.set('service', service);
  url.searchParams.set('scope', `repository:${repository}:pull`);
  return url;
}

async function fetchToken(
  endpoint: Endpoint,
  { dispatcher, timeoutMs }: DownloadSettings,
  signal: AbortSignal,
): Promise<string> {
  const options = { what: "the registry's token", maxBytes: 1024 * 1024, dispatcher, timeoutMs };
  const response = tokenSchema.safeParse(parseJson(await download(endpoint, options, signal)));
  const token = response.data?.token ?? response.data?.access_token;
  if (token === undefined) throw invalidToken('issues none');
  return token;
}

function parseJson(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined; // refused by the schema
  }
}

function invalidToken(reason: string): SourceError {
  return new SourceError('repository_invalid', `the registry requires a token, but ${reason}; check the chart's URL`);
}
