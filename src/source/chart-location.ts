/** Where a chart is, as far as its name and its repository say. */
export type ChartLocation =
  /** A chart of this name in a repository. */
  | { kind: 'repository'; url: string }
  /** A chart in a registry: `oci://…`. */
  | { kind: 'registry'; url: string }
  /** An archive at a URL. */
  | { kind: 'url'; url: string }
  /** A path, or a name such as `REPOSITORY/CHART`: files and settings decide. */
  | { kind: 'name'; name: string };

/** @param repository URL of a repository, or an empty text */
export function chartLocation(name: string, repository = ''): ChartLocation {
  if (repository !== '') return { kind: 'repository', url: repository };
  if (isRegistryUrl(name)) return { kind: 'registry', url: name };
  return isUrl(name) ? { kind: 'url', url: name } : { kind: 'name', name };
}

export function isRegistryUrl(text: string): boolean {
  return /^oci:\/\//i.test(text);
}

/** Whether a text begins with a scheme, as the name of a chart in a repository does not. */
export function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}
