import { posix } from 'node:path';
import type { ChartDependency } from '../../chart/metadata/metadata.ts';
import { formatUrl, parseUrl } from '../../functions/support/net-url.ts';
import { GoError } from '../../go/value.ts';
import type { RepositoryEntry } from '../../source/configuration/repositories-file.ts';
import { localPath } from './dependency-chart.ts';

/** Dependencies with the URLs of their repositories, and the names of those repositories. */
export interface NamedDependencies {
  readonly dependencies: readonly ChartDependency[];
  /** By the name of the dependency. A registry or a folder has its address as its name. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Finds the repositories of dependencies among those that were added, and replaces `@NAME` and
 * `alias:NAME` by their URLs (pkg/downloader/manager.go: resolveRepoNames). Throws an error with
 * Helm's text if one is neither known nor a URL.
 */
export async function nameRepositories(
  required: readonly ChartDependency[],
  known: readonly RepositoryEntry[],
  chartPath: string,
): Promise<NamedDependencies> {
  const names = new Map<string, string>();
  const missing: string[] = [];
  const dependencies: ChartDependency[] = [];
  for (const dependency of required) {
    const { name, repository } = dependency;
    const entry = repository === '' ? undefined : known.find((candidate) => isRepository(candidate, repository));
    dependencies.push(
      isAlias(repository) && entry !== undefined ? { ...dependency, repository: entry.url } : dependency,
    );
    if (repository === '') continue;
    if (repository.startsWith('file://')) await localPath(repository, chartPath);
    if (isAddress(repository)) names.set(name, repository);
    else if (entry !== undefined) names.set(name, entry.name);
    else if (!isUrl(repository)) missing.push(repository);
  }
  if (missing.length > 0) throw new Error(missingText(missing));
  return { dependencies, names };
}

/** Whether a repository is a folder or a registry, which are not added. */
export function isAddress(repository: string): boolean {
  return repository.startsWith('file://') || repository.startsWith('oci://');
}

function isAlias(repository: string): boolean {
  return repository.startsWith('@') || repository.startsWith('alias:');
}

function isRepository({ name, url }: RepositoryEntry, repository: string): boolean {
  if (isAlias(repository)) return repository.replace(/^(?:@|alias:)/, '') === name;
  return equalUrls(url, repository);
}

/** Go's `url.ParseRequestURI` accepts absolute URLs and paths. */
function isUrl(repository: string): boolean {
  try {
    return parseUrl(repository).scheme !== '' || repository.startsWith('/');
  } catch (error) {
    if (error instanceof GoError) return false;
    throw error;
  }
}

function missingText(missing: readonly string[]): string {
  const text = `no repository definition for ${missing.join(', ')}. Please add them via 'helm repo add'`;
  if (missing.every((repository) => repository.includes('//') || isAlias(repository))) return text;
  return `${text}
Note that repositories must be URLs or aliases. For example, to refer to the "example"
repository, use "https://charts.example.com/" or "@example" instead of
"example". Don't forget to add the repo, too ('helm repo add').`;
}

/** Whether two URLs are the same apart from slashes and dots in their paths (internal/urlutil). */
export function equalUrls(a: string, b: string): boolean {
  return normalUrl(a) === normalUrl(b);
}

function normalUrl(text: string): string {
  try {
    const url = parseUrl(text);
    const path = posix.normalize(url.path || '/');
    return formatUrl({ ...url, path: path.replace(/(?<=.)\/$/, '') });
  } catch (error) {
    if (error instanceof GoError) return posix.normalize(text);
    throw error;
  }
}
