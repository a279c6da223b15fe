import type { ChartRequest } from './chart-request.ts';

/** A URL without its userinfo, and the `Authorization` header to be sent there. */
export interface Target {
  readonly url: URL;
  readonly authorization: string | undefined;
}

/** Takes userinfo out of a URL and makes the header of it. */
export function targetOf(address: URL): Target {
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
 * Where to send a request for something of the repository. As in Helm, the user name and password of the request go, if both
 * are there, to the scheme, host and port of the repository alone, unless `passCredentials` is set; so does the userinfo of
 * the repository's URL, which counts where there are none. An address with userinfo of its own gets that instead.
 */
export function withCredentials(address: URL, repository: URL, request: ChartRequest): Target {
  const target = targetOf(address);
  const own = address.origin === repository.origin;
  const { username = '', password = '', passCredentials = false } = request;
  if (username !== '' && password !== '' && (own || passCredentials)) {
    return { url: target.url, authorization: basicAuthorization(username, password) };
  }
  if (target.authorization !== undefined || !own) return target;
  return { url: target.url, authorization: targetOf(repository).authorization };
}

/** The header of the `Basic` scheme. */
export function basicAuthorization(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone percent sign stands for itself
  }
}
