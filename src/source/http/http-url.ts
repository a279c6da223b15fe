import { SourceError } from '../source-error.ts';

/** Reads an HTTP or HTTPS URL. `what` names it in errors. Throws {@link SourceError}. */
export function parseHttpUrl(text: string, what = "the repository's URL"): URL {
  if (!URL.canParse(text)) {
    // The text is not shown: it may contain a password.
    throw new SourceError('invalid_repository_url', `${what} is not a URL; it has the form https://host/path`);
  }
  const url = new URL(text);
  requireHttp(url, what);
  return url;
}

/**
 * Resolves a reference in the index of a repository; the result may be an `oci://` URL. As in Helm,
 * a relative reference is below the repository's URL, with or without a slash at its end, and gets
 * the query of that URL. Unlike Helm, it does not get the query if it leads to another host.
 */
export function resolveReference(repository: URL, reference: string): URL {
  const base = new URL(repository);
  base.pathname = `${base.pathname.replace(/\/$/, '')}/`;
  if (!URL.canParse(reference, base.href)) {
    throw new SourceError('repository_invalid', "the repository's index gives the chart an address that is not a URL");
  }
  const url = new URL(reference, base);
  if (url.origin === base.origin && !URL.canParse(reference)) url.search = base.search;
  if (url.protocol !== 'oci:') requireHttp(url, "the chart's address");
  return url;
}

/** Throws `unsupported` if a URL is neither HTTP nor HTTPS. `what` names it in the error. */
export function requireHttp(url: URL, what: string): void {
  if (url.protocol === 'http:' || url.protocol === 'https:') return;
  throw new SourceError(
    'unsupported',
    `${what} begins with ${url.protocol}//: only http:// and https:// are supported here`,
  );
}

/** Decodes percent signs as in URLs. Returns the text itself if it has one without an escape. */
export function decodePercents(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An expression for the end would start again at each slash of the text. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end--;
  return text.slice(0, end);
}

/** Formats a URL for messages: without userinfo, fragment and query, which may contain secrets. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?***'}`;
}

/**
 * Returns the segments of a URL's path. Undefined for a path that a server may read in another way:
 * with `..`, empty segments, or an encoded slash, dot or percent sign.
 */
export function pathSegments(pathname: string): string[] | undefined {
  if (/\\|\/\/|%(?:2f|5c|2e|25|00)/i.test(pathname)) return undefined;
  const segments = pathname.split('/').filter((segment) => segment !== '');
  return segments.includes('.') || segments.includes('..') ? undefined : segments;
}

/** Whether a path is one of these, or below one. If no paths are given, it is. */
export function isBelowPaths(pathname: string, paths: readonly string[] | undefined): boolean {
  if (paths === undefined) return true;
  const segments = pathSegments(pathname);
  return paths.some((path) => {
    const prefix = pathSegments(path);
    return segments !== undefined && prefix?.every((segment, index) => segment === segments[index]) === true;
  });
}

/** Returns an address without its userinfo, and what that was. */
export function withoutUserinfo(address: string): { url: string; username: string; password: string } {
  const parsed = URL.parse(address);
  if (parsed === null || (parsed.username === '' && parsed.password === '')) {
    return { url: address, username: '', password: '' };
  }
  const { username, password } = parsed;
  parsed.username = '';
  parsed.password = '';
  return { url: parsed.href, username: decodePercents(username), password: decodePercents(password) };
}
