import { SourceError } from '../source-error.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';
import { isBelowPaths, requireHttp, shownUrl } from './http-url.ts';

/** As many as Go's HTTP client follows. */
export const maxRedirects = 9;

/** Whether a response with this status redirects if it has a `Location` header. */
export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/**
 * Returns the endpoint that an endpoint redirects to. The credentials stay on the scheme, host and
 * port, and below the paths, of the endpoint.
 */
export function redirected(from: Endpoint, location: string): Endpoint {
  if (!URL.canParse(location, from.url.href)) {
    throw new SourceError('repository_failed', `${shownUrl(from.url)} redirects to something that is not a URL`);
  }
  const next = endpointOf(new URL(location, from.url));
  requireHttp(next.url, `the URL that ${shownUrl(from.url)} redirects to`);
  if (next.authorization !== undefined || next.url.origin !== from.url.origin) return next;
  return isBelowPaths(next.url.pathname, from.paths) ? { ...from, url: next.url } : next;
}

/** Returns the error for an endpoint that redirects too often. */
export function tooManyRedirects(problem: string, { url }: Endpoint): SourceError {
  const text = `${problem}: too many redirects from ${shownUrl(url)} (more than ${maxRedirects})`;
  return new SourceError('repository_failed', text);
}
