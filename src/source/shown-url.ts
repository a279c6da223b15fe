/** A URL as messages may show it: without userinfo, fragment and query, since tokens stand there. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?***'}`;
}
