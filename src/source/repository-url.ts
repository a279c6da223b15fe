import { SourceError } from './source-error.ts';

/** Reads the address of a repository. Throws {@link SourceError} where it is none that charts can be downloaded from. */
export function parseRepositoryUrl(text: string): URL {
  if (!URL.canParse(text)) {
    // the text is not shown: it may hold a password
    throw new SourceError(
      'invalid_repository_url',
      "the repository's URL is not a URL; it has the form https://host/path",
    );
  }
  const url = new URL(text);
  refuseOtherSchemes(url, "the repository's URL");
  return url;
}

/**
 * The address of what a repository refers to. As in Helm, a relative reference is below the repository's URL, whether or not
 * that ends with a slash, and takes over its query; other than in Helm, not where it leads to another host.
 */
export function resolveReference(repository: URL, reference: string): URL {
  const base = new URL(repository);
  base.pathname = `${base.pathname.replace(/\/$/, '')}/`;
  if (!URL.canParse(reference, base.href)) {
    throw new SourceError('repository_invalid', "the repository's index gives the chart an address that is not a URL");
  }
  const url = new URL(reference, base);
  if (url.origin === base.origin && !URL.canParse(reference)) url.search = base.search;
  refuseOtherSchemes(url, "the chart's address");
  return url;
}

/** Throws `unsupported` for an address that is neither HTTP nor HTTPS. */
export function refuseOtherSchemes(url: URL, what: string): void {
  if (url.protocol === 'http:' || url.protocol === 'https:') return;
  const hint =
    url.protocol === 'oci:'
      ? 'charts in OCI registries are not supported yet; give an HTTP repository'
      : 'only http:// and https:// are supported';
  throw new SourceError('unsupported', `${what} begins with ${url.protocol}//: ${hint}`);
}
