import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Chart } from '../../../chart/chart.ts';
import type { Notice } from '../../../chart/load/chart-content.ts';
import { loadArchive } from '../../../chart/load/load-archive.ts';
import type { ChartDependency } from '../../../chart/metadata/metadata.ts';
import { parseVersion } from '../../../go/semver.ts';
import { parseConstraint, satisfies } from '../../../go/semver-constraint.ts';
import { quote } from '../../../go/strconv.ts';
import { compareStrings } from '../../../go/text.ts';
import { GoError } from '../../../go/value.ts';
import { helmTable } from '../../ctl/output/helm-table.ts';
import { loadChart } from '../../load-chart.ts';
import { localChart } from '../../locate-chart.ts';

interface Listing {
  readonly print: (text: string) => void;
  readonly notice: Notice;
}

/** Prints the dependencies of a chart and whether it has them (pkg/action/dependency.go). */
export async function listDependencies(path: string, maxWidth: number, { print, notice }: Listing): Promise<void> {
  const chart = await loadAt(path, notice);
  const { dependencies } = chart.metadata;
  if (dependencies === undefined) {
    print(`WARNING: no dependencies at ${join(path, 'charts')}\n`);
    return;
  }
  const rows = [['NAME', 'VERSION', 'REPOSITORY', 'STATUS']];
  for (const dependency of dependencies) {
    const { name, version = '', repository } = dependency;
    rows.push([name, version, repository, await statusOf(dependency, chart, path)]);
  }
  print(`${helmTable(rows, maxWidth)}\n`);
  await printOthers(path, dependencies, { print, notice });
}

async function loadAt(path: string, notice: Notice): Promise<Chart> {
  const located = await localChart(resolve(path)).catch(() => undefined);
  if (located === undefined) throw new Error(`stat ${path}: no such file or directory`);
  return loadChart(located, notice);
}

/** Names in charts/, sorted. */
async function namesIn(path: string): Promise<string[]> {
  const names = await readdir(join(path, 'charts')).catch(() => []);
  return names.toSorted(compareStrings);
}

async function statusOf(dependency: ChartDependency, parent: Chart, path: string): Promise<string> {
  const prefix = `${dependency.name}-`;
  const archives = (await namesIn(path)).filter((name) => name.startsWith(prefix) && name.endsWith('.tgz'));
  const versioned =
    archives.length > 1 ? archives.filter((name) => isStrictVersion(name.slice(prefix.length, -4))) : archives;
  if (versioned.length > 1) return 'too many matches';
  const [archive] = versioned;
  if (archive !== undefined) return archiveStatus(join(path, 'charts', archive), dependency);
  const subchart = parent.dependencies.findLast(({ metadata }) => metadata.name === dependency.name);
  if (subchart === undefined) return 'missing';
  return versionProblem(subchart, dependency) ?? 'unpacked';
}

function isStrictVersion(text: string): boolean {
  return /^\d+\.\d+\.\d+(?:[-+].+)?$/.test(text);
}

async function archiveStatus(path: string, dependency: ChartDependency): Promise<string> {
  const chart = await loadArchive(await readFile(path)).catch(() => undefined);
  if (chart === undefined) return 'corrupt';
  if (chart.metadata.name !== dependency.name) return 'misnamed';
  return versionProblem(chart, dependency) ?? 'ok';
}

function versionProblem({ metadata }: Chart, { version = '' }: ChartDependency): string | undefined {
  if (metadata.version === version) return undefined;
  try {
    return satisfies(parseVersion(metadata.version), parseConstraint(version)) ? undefined : 'wrong version';
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
    return 'invalid version';
  }
}

/** Warns of charts in charts/ that are not dependencies. */
async function printOthers(
  path: string,
  dependencies: readonly ChartDependency[],
  { print, notice }: Listing,
): Promise<void> {
  const names = new Set(dependencies.map(({ name }) => name));
  for (const file of await namesIn(path)) {
    const child = join(path, 'charts', file);
    const facts = await stat(child);
    if (!facts.isDirectory() && !basename(file).endsWith('.tgz')) continue;
    const chart = await loadAt(child, notice).catch(() => undefined);
    if (chart === undefined) print(`WARNING: ${quote(child)} is not a chart.\n`);
    else if (!names.has(chart.metadata.name)) print(`WARNING: ${quote(child)} is not in Chart.yaml.\n`);
  }
}
