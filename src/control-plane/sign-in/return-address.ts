const maxLength = 2000;

/**
 * Returns the address of this server to which a browser goes after it has signed in: the page that
 * it has asked for, or the first page if that is not one of this server.
 */
export function returnAddress(returnTo: string | undefined, url: string): string {
  const first = `${url}/`;
  if (returnTo === undefined || returnTo.length > maxLength || !returnTo.startsWith('/')) return first;
  // as browsers read it: "//host", "/\host" and a tab in between lead to other servers
  const address = URL.parse(returnTo, url);
  const isOwn = address?.origin === url && !address.pathname.startsWith('/sign-in');
  // with its host, so that a path such as "//host" stays a path
  return isOwn ? address.href : first;
}
