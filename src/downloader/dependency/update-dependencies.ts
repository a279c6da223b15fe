import { createHash } from 'node:crypto';
import { lstat, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { missingDependencies } from '../../chart/metadata/installable.ts';
import { lockDigest, lockYaml } from '../../chart/metadata/lock.ts';
import type { ChartDependency, ChartLock } from '../../chart/metadata/metadata.ts';
import { quote } from '../../go/strconv.ts';
import {
  emptyRepositoriesFile,
  readRepositoriesFile,
  type RepositoryEntry,
} from '../../source/configuration/repositories-file.ts';
import type { DownloadContext } from '../context.ts';
import type { DependencyOptions } from '../context.ts';
import { goNow } from '../go-now.ts';
import { loadChart } from '../load-chart.ts';
import type { LocatedChart } from '../located-chart.ts';
import { unmanagedPrefix, updateIndexes } from '../repository-index.ts';
import { refreshRepositories } from '../repository-index.ts';
import { loadDependentChart } from './dependency-chart.ts';
import { downloadDependencies } from './download-dependencies.ts';
import { lockDependencies } from './lock-dependencies.ts';
import { type NamedDependencies, nameRepositories } from './repository-names.ts';

/**
 * Downloads the newest versions of a chart's dependencies that are in their ranges into charts/,
 * and writes the lock (pkg/downloader/manager.go: Update). Throws an error with Helm's text.
 */
export async function updateDependencies(
  chartPath: string,
  options: DependencyOptions,
  context: DownloadContext,
): Promise<void> {
  const chart = await loadDependentChart(chartPath, context.log);
  const required = chart.metadata.dependencies;
  if (required === undefined) return;
  const { repositories } = (await readRepositoriesFile(context.settings.repositoryConfig)) ?? emptyRepositoriesFile;
  const named = await nameRepositories(required, repositories, chartPath);
  const names = await addUnmanaged(named, options, context);
  if (!options.skipRefresh) await refreshRepositories(repositories, context);
  const locked = await lockDependencies({ ...named, names }, chartPath, options, context);
  const downloaded = await downloadDependencies(locked, repositories, chartPath, options, context);
  const digest = lockDigest(named.dependencies, downloaded);
  if (chart.lock?.digest === digest) return;
  const lock = { generated: goNow(context.host), digest, dependencies: downloaded };
  await writeLock(chartPath, lock, chart.metadata.apiVersion === 'v1');
}

/** Downloads the indexes of the repositories that were not added, under names of their own. */
async function addUnmanaged(
  { dependencies, names }: NamedDependencies,
  { skipRefresh }: DependencyOptions,
  context: DownloadContext,
): Promise<ReadonlyMap<string, string>> {
  const all = new Map(names);
  const unmanaged: RepositoryEntry[] = [];
  for (const { name, repository } of dependencies) {
    if (repository === '' || all.has(name)) continue;
    const entry = unmanagedRepository(repository);
    all.set(name, entry.name);
    unmanaged.push(entry);
  }
  if (!skipRefresh && unmanaged.length > 0) {
    context.stdout.write('Getting updates for unmanaged Helm repositories...\n');
    await updateIndexes(distinct(unmanaged), context);
  }
  return all;
}

function unmanagedRepository(url: string): RepositoryEntry {
  const name = `${unmanagedPrefix}${createHash('sha256').update(url).digest('hex')}`;
  const none = { username: '', password: '', certFile: '', keyFile: '', caFile: '' };
  return { name, url, ...none, insecure_skip_tls_verify: false, pass_credentials_all: false };
}

function distinct(repositories: readonly RepositoryEntry[]): RepositoryEntry[] {
  return [...new Map(repositories.map((entry) => [entry.url.replace(/\/$/, ''), entry])).values()];
}

async function writeLock(
  chartPath: string,
  lock: ChartLock & { dependencies: readonly ChartDependency[] },
  isV1: boolean,
): Promise<void> {
  const name = isV1 ? 'requirements.lock' : 'Chart.lock';
  const path = join(chartPath, name);
  const facts = await lstat(path).catch(() => undefined);
  if (facts?.isSymbolicLink() === true) {
    throw new Error(`the ${name} file is a symlink to ${quote(await readlink(path))}`);
  }
  await writeFile(path, lockYaml(lock), { mode: 0o644 });
}

/** Updates the dependencies of a folder's chart if it lacks some. */
export async function updateMissingDependencies(
  located: LocatedChart,
  options: DependencyOptions,
  context: DownloadContext,
): Promise<void> {
  if (!('folder' in located)) return;
  const chart = await loadChart(located, context.log.notice);
  if (missingDependencies(chart) !== undefined) await updateDependencies(located.folder, options, context);
}
