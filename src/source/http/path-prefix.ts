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
