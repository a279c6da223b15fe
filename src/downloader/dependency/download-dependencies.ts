import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ChartDependency } from '../../chart/metadata/metadata.ts';
import { isMissing, messageOf } from '../../errors/index.ts';
import { currentDate } from '../../go/host.ts';
import { parseVersion } from '../../go/semver.ts';
import { parseConstraint, satisfies } from '../../go/semver-constraint.ts';
import { quote } from '../../go/strconv.ts';
import type { RepositoryEntry } from '../../source/configuration/repositories-file.ts';
import type { DownloadContext } from '../context.ts';
import type { DependencyOptions } from '../context.ts';
import { saveChart } from '../package-chart.ts';
import { loadFolder, localPath } from './dependency-chart.ts';
import { createDependencyDownloader } from './dependency-downloader.ts';
import { replaceSubcharts } from './replace-subcharts.ts';

/**
 * Downloads dependencies in exact versions into charts/ and removes those that are not wanted any
 * more (pkg/downloader/manager.go: downloadAll). Returns the dependencies, those of folders with
 * the versions there. Throws an error with Helm's text; charts/ is not changed then.
 */
export async function downloadDependencies(
  dependencies: readonly ChartDependency[],
  repositories: readonly RepositoryEntry[],
  chartPath: string,
  options: DependencyOptions,
  context: DownloadContext,
): Promise<ChartDependency[]> {
  const download = await createDependencyDownloader(repositories, options, context);
  const charts = join(chartPath, 'charts');
  await makeFolder(charts);
  const temporary = join(chartPath, `tmpcharts-${process.pid}`);
  await mkdir(temporary, { recursive: true });
  try {
    context.stdout.write(`Saving ${dependencies.length} charts\n`);
    const saved: ChartDependency[] = [];
    for (const dependency of dependencies) {
      saved.push(await saveDependency(dependency, { chartPath, charts, temporary, download, context }));
    }
    await replaceSubcharts(saved, temporary, charts, context.stdout);
    return saved;
  } catch (error) {
    if (error instanceof SaveError) context.stdout.write(`Save error occurred:  ${error.message}\n`);
    throw error;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Helm prints the reason why a dependency cannot be saved on stdout, too. */
class SaveError extends Error {
  override readonly name = 'SaveError';
}

async function makeFolder(path: string): Promise<void> {
  const facts = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (facts?.isDirectory() === false) throw new Error(`${quote(path)} is not a directory`);
  await mkdir(path, { recursive: true, mode: 0o755 });
}

interface Saving {
  readonly chartPath: string;
  /** The chart's folder charts/. */
  readonly charts: string;
  /** Folder for the archives. */
  readonly temporary: string;
  readonly download: Awaited<ReturnType<typeof createDependencyDownloader>>;
  readonly context: DownloadContext;
}

async function saveDependency(dependency: ChartDependency, saving: Saving): Promise<ChartDependency> {
  const { repository } = dependency;
  if (repository === '') {
    await requirePresent(dependency, saving);
    return dependency;
  }
  try {
    if (repository.startsWith('file://')) return { ...dependency, version: await packFolder(dependency, saving) };
    const file = await saving.download(dependency);
    if (file === undefined) return dependency;
    const path = join(saving.temporary, basename(file.name));
    await writeFile(path, file.archive);
    if (file.provenance !== undefined) await writeFile(`${path}.prov`, file.provenance);
    return dependency;
  } catch (cause) {
    throw new SaveError(messageOf(cause), { cause });
  }
}

async function requirePresent(dependency: ChartDependency, { charts, context }: Saving): Promise<void> {
  const { name, version = '' } = dependency;
  context.stdout.write(`Dependency ${name} did not declare a repository. Assuming it exists in the charts directory\n`);
  const path = join(charts, name);
  const { metadata } = await loadFolder(path, context.log).catch((cause: unknown) => {
    throw new Error(`unable to load chart '${path}': ${messageOf(cause)}`, {
      cause,
    });
  });
  if (satisfies(parseVersion(metadata.version), rangeOf(dependency))) return;
  const problem = `does not satisfy the constraint ${version}`;
  throw new SaveError(`dependency ${name} at version ${metadata.version} ${problem}`);
}

/** Packs a dependency that is a folder, and returns its version. */
async function packFolder(dependency: ChartDependency, { chartPath, temporary, context }: Saving): Promise<string> {
  const chart = await loadFolder(await localPath(dependency.repository, chartPath), context.log);
  const { version } = chart.metadata;
  if (!satisfies(parseVersion(version), rangeOf(dependency))) {
    throw new Error(`can't get a valid version for dependency ${dependency.name}`);
  }
  await saveChart(chart, temporary, currentDate(context.host));
  return version;
}

function rangeOf({ name, version = '' }: ChartDependency) {
  try {
    return parseConstraint(version);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(`dependency ${name} has an invalid version/constraint format: ${reason}`, { cause });
  }
}
