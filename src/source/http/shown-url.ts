/** Formats a URL for messages: without userinfo, fragment and query, which may contain secrets. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?***'}`;
}
