import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, parse, resolve } from 'node:path';
import type { Chart } from '../chart/chart.ts';
import { loadArchive } from '../chart/load-archive.ts';
import { loadDirectory } from '../chart/load-directory.ts';
import { quote } from '../go/strconv.ts';
import { createChartSource } from '../source/chart-source.ts';
import type { RepositoryFlags } from './chart-options.ts';

/**
 * Loads the chart that a user of this machine names: a directory or an archive anywhere, links included; with `--repo` a chart of that repository
 * (pkg/action/install.go: LocateChart). Throws an error with Helm's text where there is no such path, `ChartError`, or `SourceError`.
 */
export async function loadNamedChart(
  name: string,
  { repo, version, username, passwordFile }: RepositoryFlags,
  readSecret: (path: string) => Promise<string>,
): Promise<Chart> {
  const chartName = name.trim();
  if (repo === undefined && !/^[a-z][a-z0-9+.-]*:\/\//i.test(chartName)) return loadPath(chartName);
  const password = passwordFile === undefined ? undefined : await readSecret(passwordFile);
  const request = { chartName, repoUrl: repo, chartVersion: version, username, password };
  return createChartSource().load(request, new AbortController().signal);
}

async function loadPath(path: string): Promise<Chart> {
  const facts = await stat(path).catch((cause: unknown) => {
    throw new Error(absentText(path), { cause });
  });
  if (facts.isDirectory()) return loadLocalDirectory(path);
  return loadArchive(await readFile(path));
}

/** Loads a chart from a folder of this machine; its links may lead anywhere, as in Helm. */
export function loadLocalDirectory(path: string): Promise<Chart> {
  return loadDirectory(path, { root: parse(resolve(path)).root });
}

/** Why nothing is found at a path, as Helm says it where no repositories are configured. */
function absentText(path: string): string {
  if (isAbsolute(path) || path.startsWith('.')) return `path ${quote(path)} not found`;
  const [repository = '', ...rest] = path.split('/');
  return rest.length === 0
    ? `non-absolute URLs should be in form of repo_name/path_to_chart, got: ${path}`
    : `repo ${repository} not found`;
}
