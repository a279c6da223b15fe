import type { DownloadSettings } from '../download-settings.ts';
import { download } from '../http/download.ts';
import { authorizationOf, type Credentials, type Endpoint } from '../http/endpoint.ts';
import { requestFailure } from '../http/http-failure.ts';
import { requestFrom } from '../http/url-request.ts';
import { SourceError } from '../source-error.ts';
import type { ChartReference } from './reference.ts';
import { fetchToken, tokenService } from './registry-token.ts';

type RegistrySettings = Pick<DownloadSettings, 'dispatcher' | 'machine' | 'timeoutMs' | 'plainHttp'>;

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
  credentials: Credentials,
  settings: RegistrySettings,
  signal: AbortSignal,
  actions: 'pull' | 'pull,push' = 'pull',
): Promise<RegistryAccess> {
  const base = registryUrl(host, settings);
  const basic = authorizationOf(credentials);
  // a token is for the registry itself, and not for its token service
  const challenge = credentials.token === undefined ? await readChallenge(base, settings, signal) : undefined;
  const endpointAt = (path: string, authorization: string | undefined): Endpoint => ({
    url: new URL(`${base.href}${repository}/${path}`),
    authorization,
  });
  if (challenge === undefined) return { endpointAt: (path) => endpointAt(path, basic) };
  const service = tokenService(challenge, base, `repository:${repository}:${actions}`);
  const hasSecret = basic !== undefined || Boolean(credentials.identityToken);
  if (hasSecret && credentials.passCredentials !== true) await requireOwnService(service.url, base);
  const token = await fetchToken(service, credentials, settings, signal);
  return { endpointAt: (path) => endpointAt(path, `Bearer ${token}`) };
}

/**
 * Checks that a registry accepts credentials. Throws {@link SourceError}, or the signal's reason.
 */
export async function checkCredentials(
  host: string,
  credentials: Credentials,
  settings: RegistrySettings,
  signal: AbortSignal,
): Promise<void> {
  const base = registryUrl(host, settings);
  const basic = authorizationOf(credentials);
  const challenge = await readChallenge(base, settings, signal);
  let authorization = basic;
  if (challenge !== undefined) {
    const service = tokenService(challenge, base, '');
    if (credentials.passCredentials !== true) await requireOwnService(service.url, base);
    authorization = `Bearer ${await fetchToken(service, credentials, settings, signal)}`;
  }
  const options = { what: 'the registry', action: 'connect' as const, maxBytes: 1024 * 1024, ...settings };
  await download({ url: base, authorization }, options, signal);
}

/** Whether a text is only a host, with its port if there is one: no URL, path or userinfo. */
export function isHost(text: string): boolean {
  return /^[^/?#@\\\s]+$/.test(text);
}

/** The registry of Docker Hub has another host than the names of its charts. */
function registryUrl(host: string, { plainHttp }: RegistrySettings): URL {
  const server = host === 'docker.io' ? 'registry-1.docker.io' : host;
  const address = `${plainHttp ? 'http' : 'https'}://${server}/v2/`;
  if (isHost(host) && URL.canParse(address)) return new URL(address);
  throw new SourceError('invalid_repository_url', `${JSON.stringify(host)} is not the host of a registry`);
}

async function requireOwnService(service: URL, registry: URL): Promise<void> {
  if (service.host === registry.host) return;
  // the list of public suffixes takes time to load, and few registries need it
  const { isOwnTokenService } = await import('./token-service.ts');
  if (isOwnTokenService(service, registry)) return;
  const { host } = service;
  throw new SourceError(
    'repository_unauthorized',
    `the registry names ${host} as its token service, which is on another domain, so no credentials are sent there; if it is right, set passCredentials`,
  );
}

/** Returns the parameters of the registry's `Bearer` challenge; undefined if it sends none. */
async function readChallenge(
  url: URL,
  { dispatcher, machine, timeoutMs }: RegistrySettings,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const { statusCode, headers, body } = await requestFrom(url, {
      headers: { 'user-agent': 'helm-agent' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      dispatcher,
    });
    await body.dump();
    return statusCode === 401 ? bearerChallenge([headers['www-authenticate'] ?? []].flat()) : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SourceError) throw error;
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    throw requestFailure(error, url, { what: 'the registry', action: 'connect', machine, timeoutMs }, timedOut);
  }
}

/**
 * Returns the parameters of the `Bearer` challenge in a `WWW-Authenticate` header; undefined if it
 * has none.
 */
export function bearerChallenge(headers: readonly string[]): ReadonlyMap<string, string> | undefined {
  const challenge = headers.find((value) => /^bearer /i.test(value));
  if (challenge === undefined) return undefined;
  // a name begins only where a word does, so that a long word takes linear time
  const parameters = challenge.matchAll(/(?<!\w)(\w+)=(?:"([^"]*)"|([^\s",]+))/g);
  return new Map(Array.from(parameters, ([, key = '', quoted, token = '']) => [key.toLowerCase(), quoted ?? token]));
}

/**
 * Returns the reference of the next page in a `Link` header, such as
 * `</v2/a/tags/list?last=b>; rel="next"`; undefined if there is none.
 */
export function nextPage(header: string): string | undefined {
  for (const link of header.matchAll(/<([^<>]*)>([^<]*)/g)) {
    const [, target = '', parameters = ''] = link;
    if (/;[ \t]*rel="?next"?(?![\w-])/i.test(parameters)) return target;
  }
  return undefined;
}
