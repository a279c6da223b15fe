import type { ChartRequest } from '../chart-request.ts';

/** A URL without userinfo, and the `Authorization` header to send there. */
export interface Endpoint {
  readonly url: URL;
  readonly authorization: string | undefined;
}

/** Moves the userinfo of a URL to the `Authorization` header. */
export function endpointOf(address: URL): Endpoint {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  const hasUserinfo = address.username !== '' || address.password !== '';
  return {
    url,
    authorization: hasUserinfo ? basicAuthorization(decode(address.username), decode(address.password)) : undefined,
  };
}

/**
 * Returns the endpoint for a file of a repository. As in Helm, the user name and password of the
 * request, if both are given, are sent only to the scheme, host and port of the repository, unless
 * `passCredentials` is set. Without them, the userinfo of the repository's URL is used in the same
 * way. Userinfo in the address itself takes precedence over the latter.
 */
export function endpointFor(address: URL, repository: URL, request: ChartRequest): Endpoint {
  const endpoint = endpointOf(address);
  const isSameOrigin = address.origin === repository.origin;
  const { username = '', password = '', passCredentials = false } = request;
  if (username !== '' && password !== '' && (isSameOrigin || passCredentials)) {
    return { url: endpoint.url, authorization: basicAuthorization(username, password) };
  }
  if (endpoint.authorization !== undefined || !isSameOrigin) return endpoint;
  return { url: endpoint.url, authorization: endpointOf(repository).authorization };
}

/** Returns the header value of the `Basic` scheme. */
export function basicAuthorization(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // contains a percent sign that does not begin an escape
  }
}
