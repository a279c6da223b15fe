import { readFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { Chart } from '../chart/chart.ts';
import { ChartError } from '../chart/chart-error.ts';
import { type ChartLimits, defaultChartLimits } from '../chart/limits.ts';
import { type ChartContent, chartMemory, contentOf, type Notice } from '../chart/load/chart-content.ts';
import { loadArchive, loadUnpacked, readArchiveFiles } from '../chart/load/load-archive.ts';
import { loadDirectory, readDirectoryFiles } from '../chart/load/load-directory.ts';
import type { Allocate } from '../chart/load/read-file.ts';
import { formatProblem } from '../chart/metadata/installable.ts';
import { readApiVersion } from '../chart/metadata/read-metadata.ts';
import { openError } from '../go/file-error.ts';
import { fromBytes } from '../go/text.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import { contentType } from './content-type.ts';
import type { LocatedChart } from './located-chart.ts';

/**
 * Loads a chart. The links in a folder may point anywhere on this machine, as in Helm. Throws an
 * error with Helm's text, or `ChartError`.
 */
export async function loadChart(located: LocatedChart, notice: Notice, limits?: ChartLimits): Promise<Chart> {
  const options = { notice, ...(limits && { limits }) };
  if ('folder' in located) {
    const { folder } = located;
    return loadDirectory(folder, { root: parse(folder).root, ...options });
  }
  requireArchive(located);
  return loadArchive(located.archive, options);
}

/** A chart of this machine that was loaded, with its files for threads that render it. */
export interface LoadedChart {
  located: LocatedChart;
  chart: Chart;
  content: ChartContent;
}

/** Loads a chart with its files, as {@link loadChart} does. */
export async function loadChartFiles(located: LocatedChart, notice: Notice): Promise<LoadedChart> {
  const limits = defaultChartLimits;
  const options = { notice, limits, allocate: chartMemory(limits) };
  const files = await readFiles(located, options);
  const chart = await loadUnpacked(files, options);
  return { located, chart, content: contentOf(chart, files) };
}

async function readFiles(located: LocatedChart, options: { notice: Notice; limits: ChartLimits; allocate: Allocate }) {
  if ('folder' in located) {
    const { folder } = located;
    return readDirectoryFiles(folder, { root: parse(folder).root, ...options });
  }
  requireArchive(located);
  return readArchiveFiles(located.archive, options);
}

/**
 * Refuses a file that is not an archive, and names its type (pkg/chart/loader/archive:
 * EnsureArchive).
 */
export function requireArchive({ archive, name }: Extract<LocatedChart, { archive: Uint8Array }>): void {
  if (archive[0] === 0x1f && archive[1] === 0x8b && archive[2] === 8) return;
  throw new Error(
    /\.ya?ml$/.test(name)
      ? `file '${name}' seems to be a YAML file, but expected a gzipped archive`
      : `file '${name}' does not appear to be a gzipped archive; got '${contentType(archive)}'`,
  );
}

/**
 * Refuses a chart of an unknown format before it is loaded (pkg/chart/loader/load.go). `helm lint`
 * and `helm show` do not check this. Throws an error with Helm's text.
 */
export async function requireKnownFormat(located: LocatedChart): Promise<void> {
  const text = 'folder' in located ? await inFolder(located.folder) : await inArchive(located);
  const problem = formatProblem(apiVersionOf(text));
  if (problem !== undefined) throw new Error(problem);
}

async function inFolder(folder: string): Promise<string> {
  const path = join(folder, 'Chart.yaml');
  try {
    return fromBytes(await readFile(path));
  } catch (error) {
    const { message } = openError(path, error);
    throw new Error(`unable to detect chart at ${path}: ${message}`, { cause: error });
  }
}

async function inArchive(located: Extract<LocatedChart, { archive: Uint8Array }>): Promise<string> {
  requireArchive(located);
  const files = await readArchiveFiles(located.archive).catch((error: unknown) => {
    if (!(error instanceof ChartError)) throw error;
    throw new Error('unable to load chart archive', { cause: error });
  });
  const file = files.find(({ name }) => name === 'Chart.yaml');
  if (file === undefined) throw new Error('unable to detect chart version, no Chart.yaml found');
  return fromBytes(file.data);
}

function apiVersionOf(text: string): string {
  try {
    return readApiVersion(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new Error(`cannot load Chart.yaml: ${error.message}`, { cause: error });
  }
}
