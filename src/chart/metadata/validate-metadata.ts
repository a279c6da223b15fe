import { parseVersion } from '../../go/semver.ts';
import { quote } from '../../go/strconv.ts';
import { GoError } from '../../go/value.ts';
import { ChartError } from '../chart-error.ts';
import type { ChartDependency, ChartMetadata, Maintainer } from './metadata.ts';
import type { RawDependency, RawMetadata } from './read-metadata.ts';

/**
 * Validates Chart.yaml with Helm's rules and texts (pkg/chart/v2/metadata.go: Validate). Throws
 * {@link ChartError}.
 */
export function validateMetadata(raw: RawMetadata): ChartMetadata {
  const { apiVersion = '', name = '', version = '' } = raw;
  if (apiVersion === '') throw invalid('chart.metadata.apiVersion is required');
  if (name === '') throw invalid('chart.metadata.name is required');
  if (name === '.' || name === '..') throw invalid(`chart.metadata.name ${quote(name)} is not allowed`);
  if (name.includes('/')) throw invalid(`chart.metadata.name ${quote(name)} is invalid`);
  if (version === '') throw invalid('chart.metadata.version is required');
  if (!isVersion(version)) throw invalid(`chart.metadata.version ${quote(version)} is invalid`);
  if (!['', 'application', 'library'].includes(raw.type ?? '')) {
    throw invalid('chart.metadata.type must be application or library');
  }
  const maintainers = raw.maintainers?.map(validateMaintainer);
  const dependencies = raw.dependencies?.map(validateDependency);
  refuseSameNames(dependencies ?? []);
  return { ...withoutEmpty({ ...raw, maintainers, dependencies }), apiVersion, name, version };
}

function invalid(text: string): ChartError {
  return new ChartError('chart_invalid', `validation: ${text}`);
}

function isVersion(text: string): boolean {
  try {
    parseVersion(text);
    return true;
  } catch (error) {
    if (error instanceof GoError) return false;
    throw error;
  }
}

function validateMaintainer(raw: NonNullable<RawMetadata['maintainers']>[number]): Maintainer {
  if (raw === null) throw invalid('maintainers must not contain empty or null nodes');
  return withoutEmpty(raw);
}

function validateDependency(raw: RawDependency | null): ChartDependency {
  if (raw === null) throw invalid('dependencies must not contain empty or null nodes');
  const { name = '', repository = '', alias = '', ...rest } = raw;
  if (alias !== '' && !/^[a-zA-Z0-9_-]+$/.test(alias)) {
    throw invalid(`dependency ${quote(name)} has disallowed characters in the alias`);
  }
  return { ...withoutEmpty({ ...rest, alias }), name, repository };
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
export function withoutEmpty<T extends object>(fields: T): Filled<T> {
  const filled = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '' && value !== false);
  // only optional fields are removed
  return Object.fromEntries(filled) as Filled<T>;
}
