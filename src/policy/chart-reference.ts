/** The fields of a payload that say where a chart comes from. */
interface ChartFields {
  manifests?: string | undefined;
  chartName?: string | undefined;
  repoUrl?: string | undefined;
  chartArchive?: string | undefined;
  chartUpload?: string | undefined;
  chartDigest?: string | undefined;
  dependencyUpdate?: boolean | undefined;
}

/** Where the chart of a command comes from. */
export interface ChartReference {
  /**
   * The URL of the chart, with `REPOSITORY/NAME` for one in a repository, `local:PATH` for one of
   * the agent, `upload:NAME` for one that the command brings, and `manifests:`. Undefined if it is
   * not a URL.
   */
  reference: string | undefined;
  /** Whether the command says which content the chart has. */
  hasDigest: boolean;
  /** Whether its dependencies are downloaded, from wherever the chart says. */
  hasDownloads: boolean;
}

/**
 * Returns where the chart of a command comes from, and `manifests:` for manifests that it brings.
 * Undefined for a command without either.
 */
export function chartReferenceOf(payload: object): ChartReference | undefined {
  const fields = payload as ChartFields; // a payload has been read by its schema
  const { manifests, chartName, repoUrl, chartArchive, chartUpload, chartDigest, dependencyUpdate = false } = fields;
  if (manifests !== undefined) return { reference: 'manifests:', hasDigest: true, hasDownloads: false };
  if (chartName === undefined) return undefined;
  const isUploaded = chartArchive !== undefined || chartUpload !== undefined;
  const reference = isUploaded ? `upload:${chartName}` : locationOf(chartName, repoUrl);
  const isPinned = /^oci:.*@sha256:[0-9a-f]{64}$/.test(reference ?? '');
  return { reference, hasDigest: isUploaded || chartDigest !== undefined || isPinned, hasDownloads: dependencyUpdate };
}

function locationOf(name: string, repository: string | undefined): string | undefined {
  if (repository === undefined || repository === '') {
    return /^[a-z][a-z0-9+.-]*:\/\//i.test(name) ? normalUrl(name) : `local:${name}`;
  }
  // a name in a registry is a path, and one in an index is not
  const isRegistry = /^oci:/i.test(repository);
  const folder = repository.endsWith('/') ? repository : `${repository}/`;
  return normalUrl(`${folder}${isRegistry ? name : encodeURIComponent(name.toWellFormed())}`);
}

/**
 * Returns a URL as it is requested: without `..`, with its host in lower case. Returns undefined
 * for one with a user, a query or a fragment, which would hide what is requested.
 */
export function normalUrl(text: string): string | undefined {
  const isRegistry = /^oci:/i.test(text);
  const readable = isRegistry ? text.replace(/^oci:/i, 'https:') : text;
  if (!URL.canParse(readable)) return undefined;
  const { protocol, host, pathname, username, password, search, hash } = new URL(readable);
  if (username !== '' || password !== '' || search !== '' || hash !== '') return undefined;
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  return `${isRegistry ? 'oci:' : protocol}//${host}${pathname}`;
}
