import { stat } from 'node:fs/promises';
import { join, parse, resolve } from 'node:path';
import type { Chart } from '../../chart/chart.ts';
import { loadDirectory } from '../../chart/load/load-directory.ts';
import { isMissing } from '../../errors/index.ts';
import { statError } from '../../go/file-error.ts';
import type { DownloadContext } from '../context.ts';

/** Loads the chart whose dependencies are managed, which must be a folder. */
export async function loadDependentChart(path: string, log: Pick<DownloadContext['log'], 'notice'>): Promise<Chart> {
  const facts = await stat(path).catch((error: unknown) => {
    throw new Error(`could not find ${path}: ${statError(path, error).message}`, { cause: error });
  });
  if (!facts.isDirectory()) throw new Error('only unpacked charts can be updated');
  return loadFolder(path, log);
}

/** Loads a chart from a folder, with the times of its files. */
export async function loadFolder(path: string, { notice }: Pick<DownloadContext['log'], 'notice'>): Promise<Chart> {
  const folder = resolve(path);
  return loadDirectory(folder, { root: parse(folder).root, times: true, notice });
}

/**
 * Returns the path of the folder that a dependency's repository `file://…` names. Throws an error
 * with Helm's text if there is none (internal/resolver: GetLocalPath).
 */
export async function localPath(repository: string, chartPath: string): Promise<string> {
  const path = repository.replace(/^file:\/\//, '');
  const folder = path.startsWith('/') ? resolve(path) : join(chartPath, path);
  await stat(folder).catch((error: unknown) => {
    throw isMissing(error) ? new Error(`directory ${folder} not found`, { cause: error }) : statError(folder, error);
  });
  return folder;
}
