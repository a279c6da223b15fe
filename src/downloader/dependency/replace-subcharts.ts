import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadArchive } from '../../chart/load/load-archive.ts';
import type { ChartDependency } from '../../chart/metadata/metadata.ts';
import { messageOf } from '../../errors/index.ts';
import { compareStrings } from '../../go/text.ts';
import type { DownloadContext } from '../context.ts';
import { requireArchive } from '../load-chart.ts';

/**
 * Moves archives of dependencies to charts/ and removes the archives there that are neither new nor
 * of a dependency without a repository (pkg/downloader/manager.go: safeMoveDeps). Prints what it
 * skips.
 */
export async function replaceSubcharts(
  dependencies: readonly ChartDependency[],
  source: string,
  charts: string,
  stdout: DownloadContext['stdout'],
): Promise<void> {
  const before = await filesIn(charts);
  const added = await filesIn(source);
  for (const name of added) {
    const path = join(source, name);
    const problem = await problemOf(path);
    if (problem === undefined) await rename(path, join(charts, name));
    else stdout.write(`Could not verify ${path} for moving: ${problem} (Skipping)`);
  }
  stdout.write('Deleting outdated charts\n');
  const kept = new Set(dependencies.flatMap(({ name, repository }) => (repository === '' ? [name] : [])));
  for (const name of before.filter((file) => !added.includes(file))) {
    const path = join(charts, name);
    try {
      const { metadata } = await loadArchive(await readFile(path));
      if (!kept.has(metadata.name)) await rm(path);
    } catch (error) {
      stdout.write(`Could not verify ${path} for deletion: ${messageOf(error)} (Skipping)\n`);
    }
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map(({ name }) => name).toSorted(compareStrings);
}

async function problemOf(path: string): Promise<string | undefined> {
  try {
    const archive = await readFile(path);
    requireArchive({ archive, name: path });
    await loadArchive(archive);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
