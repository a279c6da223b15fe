import { parse } from 'node:path';
import type { Chart } from '../chart/chart.ts';
import type { ChartLimits } from '../chart/limits.ts';
import { loadArchive } from '../chart/load/load-archive.ts';
import { loadDirectory } from '../chart/load/load-directory.ts';
import type { Notice } from '../chart/notice.ts';
import { contentType } from './content-type.ts';
import type { LocatedChart } from './locate-chart.ts';

/** Loads a chart that was found. Throws an error with Helm's text, or `ChartError`. */
export async function loadChart(located: LocatedChart, notice: Notice, limits?: ChartLimits): Promise<Chart> {
  if ('folder' in located) return loadFolder(located.folder, notice, limits);
  requireArchive(located);
  return loadArchive(located.archive, { notice, ...(limits && { limits }) });
}

/** Loads a chart from a folder of this machine; its links may lead anywhere, as in Helm. */
export function loadFolder(folder: string, notice: Notice, limits?: ChartLimits): Promise<Chart> {
  return loadDirectory(folder, { root: parse(folder).root, notice, ...(limits && { limits }) });
}

/** Refuses a file that is no archive, and says what it is instead (pkg/chart/loader/archive: EnsureArchive). */
export function requireArchive({ archive, name }: Extract<LocatedChart, { archive: Uint8Array }>): void {
  if (archive[0] === 0x1f && archive[1] === 0x8b && archive[2] === 8) return;
  throw new Error(
    /\.ya?ml$/.test(name)
      ? `file '${name}' seems to be a YAML file, but expected a gzipped archive`
      : `file '${name}' does not appear to be a gzipped archive; got '${contentType(archive)}'`,
  );
}
