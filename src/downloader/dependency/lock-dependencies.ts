import type { ChartDependency } from '../../chart/metadata/metadata.ts';
import { messageOf } from '../../errors/index.ts';
import { compareVersions, isVersion, parseVersion } from '../../go/semver.ts';
import { type Constraint, parseConstraint, satisfies } from '../../go/semver-constraint.ts';
import { quote } from '../../go/strconv.ts';
import { GoError } from '../../go/value.ts';
import type { ChartVersion } from '../../source/select-version.ts';
import type { DownloadContext } from '../context.ts';
import type { DependencyOptions } from '../context.ts';
import { registryVersions } from '../download-chart.ts';
import { indexPath, readCachedIndex } from '../repository-cache.ts';
import { readIndexText } from '../repository-index.ts';
import { loadFolder, localPath } from './dependency-chart.ts';
import type { NamedDependencies } from './repository-names.ts';

interface Locking {
  readonly names: ReadonlyMap<string, string>;
  readonly chartPath: string;
  readonly options: DependencyOptions;
  readonly context: DownloadContext;
}

/**
 * Selects the version of each dependency (internal/resolver: Resolve). Throws an error with Helm's
 * text if there is none.
 */
export async function lockDependencies(
  { dependencies, names }: NamedDependencies,
  chartPath: string,
  options: DependencyOptions,
  context: DownloadContext,
): Promise<ChartDependency[]> {
  const locked: ChartDependency[] = [];
  const missing: string[] = [];
  for (const dependency of dependencies) {
    const { name, repository, version = '' } = dependency;
    const selected = await select(dependency, { names, chartPath, options, context });
    if (selected === undefined) {
      missing.push(`${quote(name)} (repository ${quote(repository)}, version ${quote(version)})`);
    } else {
      locked.push({ name, repository, ...(selected !== '' && { version: selected }) });
    }
  }
  if (missing.length === 0) return locked;
  throw new Error(
    `can't get a valid version for ${missing.length} subchart(s): ${missing.join(', ')}. Make sure a matching chart version exists in the repo, or change the version constraint in Chart.yaml`,
  );
}

/** Returns undefined if no version is in the range. */
async function select(dependency: ChartDependency, locking: Locking): Promise<string | undefined> {
  const { name, repository, version = '' } = dependency;
  const range = rangeOf(dependency);
  if (repository === '') {
    await localPath(`charts/${name}`, locking.chartPath);
    return version;
  }
  if (repository.startsWith('file://')) {
    const { metadata } = await loadFolder(await localPath(repository, locking.chartPath), locking.context.log);
    return satisfies(parseVersion(metadata.version), range) ? metadata.version : undefined;
  }
  const versions = repository.startsWith('oci://')
    ? await versionsInRegistry(dependency, locking)
    : await versionsInIndex(dependency, locking);
  const newest = versions.toSorted((a, b) => compareVersions(b.parts, a.parts));
  return newest.find(({ parts }) => satisfies(parts, range))?.version;
}

function rangeOf({ name, version = '' }: ChartDependency): Constraint {
  try {
    return parseConstraint(version);
  } catch (cause) {
    if (!(cause instanceof GoError)) throw cause;
    throw new Error(`dependency ${quote(name)} has an invalid version/constraint format: ${cause.message}`, { cause });
  }
}

async function versionsInIndex(
  { name, repository }: ChartDependency,
  { names, context }: Locking,
): Promise<readonly ChartVersion[]> {
  const index = names.get(name) ?? '';
  const text = await readCachedIndex(index, context).catch((cause: unknown) => {
    const reason = messageOf(cause);
    throw new Error(`no cached repository for ${index} found. (try 'helm repo update'): ${reason}`, { cause });
  });
  const versions = readIndexText(text, indexPath(index, context)).versionsOf(name);
  if (versions === undefined) throw new Error(`${name} chart not found in repo ${repository}`);
  return versions.filter(({ urls }) => urls.length > 0);
}

/** An exact version is not looked up. */
async function versionsInRegistry(
  { name, repository, version = '' }: ChartDependency,
  { options, context }: Locking,
): Promise<readonly ChartVersion[]> {
  if (isVersion(version)) return [{ version, parts: parseVersion(version) }];
  try {
    return await registryVersions(`${repository}/${name}`, options, context, new AbortController().signal);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(`could not retrieve list of tags for repository ${repository}: ${reason}`, { cause });
  }
}
