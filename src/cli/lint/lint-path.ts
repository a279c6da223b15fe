import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readArchiveFiles } from '../../chart/load-archive.ts';
import { readMetadata } from '../../chart/read-metadata.ts';
import { fromBytes } from '../../go/text.ts';
import type { Finding } from './finding.ts';
import { lintChart } from './lint-chart.ts';
import type { LintOptions } from './lint-options.ts';

/** What came of linting what is at a path; `problem` says why there is nothing to lint. */
export type LintResult = { findings: Finding[] } | { problem: string };

/** Lints a chart's folder or archive (pkg/action/lint.go). */
export async function lintPath(path: string, options: LintOptions): Promise<LintResult> {
  if (!isArchive(path)) return lintFolder(path, options);
  const folder = await mkdtemp(join(tmpdir(), 'helm-lint'));
  try {
    return await lintFolder(await unpack(path, folder), options);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { problem: `unable to extract tarball: ${error.message}` };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The charts below a chart's charts/ folder, at any depth, in the order of their paths. */
export async function subchartPaths(chart: string): Promise<string[]> {
  const below = join(chart, 'charts');
  const entries = await readdir(below, { recursive: true }).catch(() => []);
  return entries.sort().flatMap((entry) => {
    const path = join(below, entry);
    if (path.endsWith('/Chart.yaml')) return [dirname(path)];
    return isArchive(path) ? [path] : [];
  });
}

function isArchive(path: string): boolean {
  return path.endsWith('.tgz') || path.endsWith('.tar.gz');
}

async function lintFolder(folder: string, options: LintOptions): Promise<LintResult> {
  const file = join(folder, 'Chart.yaml');
  const isThere = await stat(file).then(
    () => true,
    () => false,
  );
  if (isThere) return { findings: await lintChart(folder, options) };
  return { problem: `unable to check Chart.yaml file in chart: stat ${file}: no such file or directory` };
}

/** Writes the files of an archive below a folder, and answers where the chart is. */
async function unpack(path: string, folder: string): Promise<string> {
  const files = await readArchiveFiles(await readFile(path));
  const chartFile = files.find(({ name }) => name === 'Chart.yaml');
  if (chartFile === undefined) throw new Error('chart name not specified');
  const chart = join(folder, readMetadata(fromBytes(chartFile.data)).name ?? '');
  for (const { name, data } of files) {
    const target = join(chart, name);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, data);
  }
  return chart;
}
