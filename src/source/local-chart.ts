import { readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, resolve, sep } from 'node:path';
import type { Chart } from '../chart/chart.ts';
import type { ChartLoaders } from './chart-loaders.ts';
import { SourceError } from './source-error.ts';

export interface LocalCharts {
  /** The folder that charts may come from, with all that is below it. */
  readonly folder: string;
  readonly maxArchiveBytes: number;
}

/** Loads a chart, a directory or an archive, from below the folder for local charts. Throws {@link SourceError}, or what loading throws. */
export async function loadLocalChart(
  path: string,
  local: LocalCharts,
  loaders: ChartLoaders,
  signal: AbortSignal,
): Promise<Chart> {
  const shown = JSON.stringify(path);
  const real = await findBelow(local.folder, path, shown);
  signal.throwIfAborted();
  const facts = await stat(real).catch(unreadable(shown));
  if (facts.isDirectory()) return loaders.loadDirectory(real, signal);
  if (!facts.isFile()) {
    throw new SourceError('chart_not_found', `${shown} is neither a directory nor an archive of a chart`);
  }
  if (facts.size > local.maxArchiveBytes) {
    throw new SourceError(
      'too_large',
      `the archive ${shown} is larger than the limit of ${local.maxArchiveBytes} bytes`,
    );
  }
  const archive = await readFile(real, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    return unreadable(shown)(error);
  });
  return loaders.loadArchive(archive, signal);
}

/** The real path of what is below the folder, links resolved. Nothing outside is looked at unless a link leads there. */
async function findBelow(folder: string, path: string, shown: string): Promise<string> {
  const root = await realpath(folder).catch((error: unknown) => {
    throw new SourceError('local_charts_disabled', `the folder of --local-charts cannot be read: ${codeOf(error)}`);
  });
  const lexical = isAbsolute(path) ? [resolve(folder), root] : [root];
  const candidate = resolve(root, path);
  const leaves = path.split(/[/\\]/).includes('..') || !lexical.some((base) => isBelow(base, candidate));
  if (leaves || path.includes('\0')) throw forbidden(shown);
  const real = await realpath(candidate).catch(unreadable(shown));
  if (!isBelow(root, real)) throw forbidden(shown);
  return real;
}

function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function forbidden(shown: string): SourceError {
  return new SourceError(
    'path_forbidden',
    `the path ${shown} leads out of the folder of --local-charts; give a path below it, without ".." and without links that leave it`,
  );
}

function unreadable(shown: string): (error: unknown) => never {
  return (error) => {
    throw new SourceError(
      'chart_not_found',
      `there is no chart at ${shown} below the folder of --local-charts: ${codeOf(error)}`,
    );
  };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
