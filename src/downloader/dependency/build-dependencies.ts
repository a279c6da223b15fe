import { helm2LockDigest, lockDigest } from '../../chart/metadata/lock.ts';
import type { ChartDependency, ChartLock } from '../../chart/metadata/metadata.ts';
import {
  emptyRepositoriesFile,
  readRepositoriesFile,
  type RepositoryEntry,
} from '../../source/configuration/repositories-file.ts';
import type { DownloadContext } from '../context.ts';
import type { DependencyOptions } from '../context.ts';
import { refreshRepositories } from '../repository-index.ts';
import { loadDependentChart } from './dependency-chart.ts';
import { downloadDependencies } from './download-dependencies.ts';
import { equalUrls } from './repository-names.ts';
import { isAddress, nameRepositories } from './repository-names.ts';
import { updateDependencies } from './update-dependencies.ts';

/**
 * Downloads the versions of a chart's dependencies that are in its lock into charts/. Without a
 * lock, updates the dependencies (pkg/downloader/manager.go: Build). Throws an error with Helm's
 * text.
 */
export async function buildDependencies(
  chartPath: string,
  options: DependencyOptions,
  context: DownloadContext,
): Promise<void> {
  const { lock, metadata } = await loadDependentChart(chartPath, context.log);
  if (lock === undefined) {
    await updateDependencies(chartPath, options, context);
    return;
  }
  const required = metadata.dependencies ?? [];
  const { repositories } = (await readRepositoriesFile(context.settings.repositoryConfig)) ?? emptyRepositoriesFile;
  const { dependencies } = await nameRepositories(required, repositories, chartPath);
  requireSameLock(lock, required, dependencies, metadata.apiVersion === 'v1', context);
  const locked = lock.dependencies ?? [];
  requireKnownRepositories(locked, repositories);
  if (!options.skipRefresh) await refreshRepositories(repositories, context);
  await downloadDependencies(locked, repositories, chartPath, options, context);
}

/** @param named the required dependencies with the URLs of their repositories */
function requireSameLock(
  { digest, dependencies }: ChartLock,
  required: readonly ChartDependency[],
  named: readonly ChartDependency[],
  isV1: boolean,
  { log }: DownloadContext,
): void {
  if (lockDigest(orNull(named), dependencies) === digest) return;
  if (!isV1) {
    throw new Error(
      "the lock file (Chart.lock) is out of sync with the dependencies file (Chart.yaml). Please update the dependencies with 'helm dependency update'",
    );
  }
  log.notice('warning: a valid Helm v3 hash was not found. Checking against Helm v2 hash...');
  if (helm2LockDigest(orNull(required)) === digest) return;
  throw new Error(
    'the lock file (requirements.lock) is out of sync with the dependencies file (requirements.yaml). Please update the dependencies',
  );
}

/** Without dependencies, Go has a nil list. */
function orNull(dependencies: readonly ChartDependency[]): readonly ChartDependency[] | null {
  return dependencies.length === 0 ? null : dependencies;
}

function requireKnownRepositories(locked: readonly ChartDependency[], repositories: readonly RepositoryEntry[]): void {
  const missing = locked
    .map(({ repository }) => repository)
    .filter((repository) => repository !== '' && !isAddress(repository))
    .filter((repository) => repositories.every(({ url }) => !equalUrls(url, repository.replace(/\/$/, ''))));
  if (missing.length === 0) return;
  throw new Error(
    `no repository definition for ${missing.join(', ')}. Please add the missing repos via 'helm repo add'`,
  );
}
