import type { ChartRequest } from '../chart-request.ts';
import { decodePercents, isBelowPaths } from './http-url.ts';

/** The user name and password or the token of a request, and whether other hosts may get them. */
export type Credentials = Pick<
  ChartRequest,
  'username' | 'password' | 'token' | 'identityToken' | 'passCredentials' | 'credentialPaths'
>;

/** A URL without userinfo, and the `Authorization` header to send there. */
export interface Endpoint {
  readonly url: URL;
  readonly authorization: string | undefined;
  /** Paths below which redirects get the header, too. Default: all of the host. */
  readonly paths?: readonly string[] | undefined;
}

/** Moves the userinfo of a URL to the `Authorization` header. */
export function endpointOf(address: URL): Endpoint {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  const hasUserinfo = address.username !== '' || address.password !== '';
  return {
    url,
    authorization: hasUserinfo
      ? basicAuthorization(decodePercents(address.username), decodePercents(address.password))
      : undefined,
  };
}

/**
 * Returns the endpoint for a file of a repository. As in Helm, the user name and password of the
 * request, if both are given, or its token are sent only to the scheme, host and port of the
 * repository, unless `passCredentials` is set. Without them, the userinfo of the repository's URL
 * is used in the same way. Userinfo in the address itself takes precedence over the latter.
 */
export function endpointFor(address: URL, repository: URL, request: Credentials): Endpoint {
  const endpoint = endpointOf(address);
  const { credentialPaths: paths } = request;
  const isSameOrigin = address.origin === repository.origin && isBelowPaths(address.pathname, paths);
  const authorization = authorizationOf(request);
  if (authorization !== undefined && (isSameOrigin || request.passCredentials === true)) {
    return { url: endpoint.url, authorization, paths };
  }
  if (endpoint.authorization !== undefined || !isSameOrigin) return endpoint;
  return { url: endpoint.url, authorization: endpointOf(repository).authorization };
}

/**
 * Returns the header value for the token, or for the user name and password. Undefined if neither
 * is given.
 */
export function authorizationOf({ token = '', username = '', password = '' }: Credentials): string | undefined {
  if (token !== '') return `Bearer ${token}`;
  return username === '' || password === '' ? undefined : basicAuthorization(username, password);
}

/** Returns the header value of the `Basic` scheme. */
function basicAuthorization(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
