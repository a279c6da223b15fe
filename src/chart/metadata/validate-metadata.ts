import { isVersion } from '../../go/semver.ts';
import { quote } from '../../go/strconv.ts';
import { ChartError } from '../chart-error.ts';
import type { ChartDependency, ChartMetadata, Maintainer } from './metadata.ts';
import type { RawDependency, RawMaintainer, RawMetadata } from './read-metadata.ts';
import { sanitize } from './sanitize.ts';

/**
 * Validates Chart.yaml with Helm's rules and texts (pkg/chart/v2/metadata.go: Validate). Throws
 * {@link ChartError}.
 */
export function validateMetadata(raw: RawMetadata): ChartMetadata {
  const { annotations, ...rest } = sanitized(raw);
  const { apiVersion, name, version, type } = rest;
  if (apiVersion === '') throw invalid('chart.metadata.apiVersion is required');
  if (name === '') throw invalid('chart.metadata.name is required');
  if (name === '.' || name === '..') throw invalid(`chart.metadata.name ${quote(name)} is not allowed`);
  if (name.includes('/')) throw invalid(`chart.metadata.name ${quote(name)} is invalid`);
  if (version === '') throw invalid('chart.metadata.version is required');
  if (!isVersion(version)) throw invalid(`chart.metadata.version ${quote(version)} is invalid`);
  if (!['', 'application', 'library'].includes(type)) {
    throw invalid('chart.metadata.type must be application or library');
  }
  const maintainers = raw.maintainers?.map(validateMaintainer);
  const dependencies = raw.dependencies?.map(validateDependency);
  refuseSameNames(dependencies ?? []);
  return {
    ...withoutEmpty({
      ...rest,
      annotations: annotations && Object.fromEntries(annotations),
      maintainers,
      dependencies,
    }),
    apiVersion,
    name,
    version,
  };
}

function sanitized(raw: RawMetadata) {
  return {
    ...raw,
    name: sanitize(raw.name),
    description: sanitize(raw.description),
    home: sanitize(raw.home),
    icon: sanitize(raw.icon),
    condition: sanitize(raw.condition),
    tags: sanitize(raw.tags),
    appVersion: sanitize(raw.appVersion),
    kubeVersion: sanitize(raw.kubeVersion),
    sources: raw.sources?.map(sanitize),
    keywords: raw.keywords?.map(sanitize),
  };
}

function invalid(text: string): ChartError {
  return new ChartError('chart_invalid', `validation: ${text}`);
}

function validateMaintainer(raw: RawMaintainer | null): Maintainer {
  if (raw === null) throw invalid('maintainers must not contain empty or null nodes');
  return withoutEmpty({ name: sanitize(raw.name), email: sanitize(raw.email), url: sanitize(raw.url) });
}

function validateDependency(raw: RawDependency | null): ChartDependency {
  if (raw === null) throw invalid('dependencies must not contain empty or null nodes');
  const name = sanitize(raw.name);
  if (raw.alias !== '' && !/^[a-zA-Z0-9_-]+$/.test(raw.alias)) {
    throw invalid(`dependency ${quote(name)} has disallowed characters in the alias`);
  }
  return dependencyOf({
    ...raw,
    name,
    version: sanitize(raw.version),
    repository: sanitize(raw.repository),
    condition: sanitize(raw.condition),
    tags: raw.tags?.map(sanitize),
  });
}

/** Returns a dependency that was read, without the fields that are empty. */
export function dependencyOf(raw: RawDependency): ChartDependency {
  const { name, repository, tags, 'import-values': importValues, ...rest } = raw;
  const lists = { tags: tags && [...tags], importValues: importValues && [...importValues] };
  return { ...withoutEmpty({ ...rest, ...lists }), name, repository };
}

function refuseSameNames(dependencies: readonly ChartDependency[]): void {
  const seen = new Set<string>();
  for (const { name, alias } of dependencies) {
    const key = alias ?? name;
    if (seen.has(key)) throw invalid(`more than one dependency with name or alias ${quote(key)}`);
    seen.add(key);
  }
}

type Filled<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Removes fields that Go's `omitempty` omits, except empty lists. */
function withoutEmpty<T extends object>(fields: T): Filled<T> {
  const filled = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '' && value !== false);
  // only optional fields are removed
  return Object.fromEntries(filled) as Filled<T>;
}
