import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import type { ChartFile } from '../chart/chart.ts';
import { readArchiveFiles } from '../chart/load/load-archive.ts';
import { readMetadata } from '../chart/metadata/read-metadata.ts';
import { openError, statError } from '../go/file-error.ts';
import { quote } from '../go/strconv.ts';
import { compareStrings, fromBytes } from '../go/text.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import type { Finding } from './finding.ts';
import { lintChart } from './lint-chart.ts';
import type { LintOptions } from './lint-options.ts';

/** Result of linting a path. `problem` is set if there is nothing to lint. */
export type LintResult = { findings: Finding[] } | { problem: string };

/** Lints a chart's folder or archive (pkg/action/lint.go). */
export async function lintPath(path: string, options: LintOptions): Promise<LintResult> {
  if (!isArchive(path)) return lintFolder(path, options);
  const archive = await readFile(path).catch((error: unknown) => openError(path, error));
  if (archive instanceof Error) return { problem: `unable to open tarball: ${archive.message}` };
  const folder = await mkdtemp(join(tmpdir(), 'helm-lint'));
  try {
    const chart = await unpack(archive, folder);
    return typeof chart === 'string' ? await lintFolder(chart, options) : chart;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Returns the paths of the charts below a chart's charts/ folder, at any depth and sorted. Symbolic
 * links are not followed.
 */
export async function subchartPaths(chart: string): Promise<string[]> {
  return chartsBelow(join(chart, 'charts'));
}

async function chartsBelow(path: string): Promise<string[]> {
  const facts = await lstat(path).catch(() => undefined);
  if (facts === undefined) return [];
  if (posix.basename(path) === 'Chart.yaml') return [dirname(path)];
  if (isArchive(path)) return [path];
  if (!facts.isDirectory()) return [];
  const names = await readdir(path).catch((): string[] => []);
  const found = await Promise.all(names.sort(compareStrings).map((name) => chartsBelow(join(path, name))));
  return found.flat();
}

function isArchive(path: string): boolean {
  return path.endsWith('.tgz') || path.endsWith('.tar.gz');
}

async function lintFolder(folder: string, options: LintOptions): Promise<LintResult> {
  const file = join(folder, 'Chart.yaml');
  const failure = await stat(file).then(
    () => undefined,
    (error: unknown) => statError(file, error),
  );
  if (failure === undefined) return { findings: await lintChart(folder, options) };
  return { problem: `unable to check Chart.yaml file in chart: ${failure.message}` };
}

/**
 * Writes the files of an archive to a folder. Returns the path of the chart
 * (pkg/chart/v2/util/expand.go).
 */
async function unpack(archive: Uint8Array, folder: string): Promise<string | { problem: string }> {
  try {
    const files = await readArchiveFiles(archive);
    const chart = join(folder, chartNameIn(files));
    for (const { name, data } of files) {
      const target = join(chart, name);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, data);
    }
    return chart;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { problem: `unable to extract tarball: ${error.message}` };
  }
}

/** Returns the name of the chart in an archive, which becomes the name of its folder. */
function chartNameIn(files: readonly ChartFile[]): string {
  const file = files.findLast(({ name }) => name === 'Chart.yaml');
  const name = file === undefined ? '' : nameIn(fromBytes(file.data));
  if (name === '') throw new Error('chart name not specified');
  if (name === '.' || name === '..') throw new Error(`chart name ${quote(name)} is not allowed`);
  if (name !== posix.basename(name)) throw new Error(`chart name ${quote(name)} must not contain path separators`);
  return name;
}

function nameIn(text: string): string {
  try {
    return readMetadata(text).name;
  } catch (error) {
    throw error instanceof YamlError ? new Error(`cannot load Chart.yaml: ${error.message}`, { cause: error }) : error;
  }
}
