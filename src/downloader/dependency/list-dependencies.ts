import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Chart } from '../../chart/chart.ts';
import type { Notice } from '../../chart/load/chart-content.ts';
import { loadArchive } from '../../chart/load/load-archive.ts';
import type { ChartDependency } from '../../chart/metadata/metadata.ts';
import { parseVersion } from '../../go/semver.ts';
import { parseConstraint, satisfies } from '../../go/semver-constraint.ts';
import { quote } from '../../go/strconv.ts';
import { compareStrings } from '../../go/text.ts';
import { GoError } from '../../go/value.ts';
import { loadChart } from '../load-chart.ts';
import { localChart } from '../located-chart.ts';

/** A dependency of a chart, and whether the chart has it. */
export interface DependencyStatus {
  readonly name: string;
  readonly version: string;
  readonly repository: string;
  /** Helm's word: `ok`, `unpacked`, `missing` and others. */
  readonly status: string;
}

/**
 * Returns the dependencies of the chart at a path (pkg/action/dependency.go); undefined if its
 * Chart.yaml has no list of them. Throws an error with Helm's text.
 */
export async function dependencyStatuses(path: string, notice: Notice): Promise<DependencyStatus[] | undefined> {
  const chart = await loadAt(path, notice);
  const statuses = chart.metadata.dependencies?.map(async (dependency) => {
    const { name, version = '', repository } = dependency;
    return { name, version, repository, status: await statusOf(dependency, chart, path) };
  });
  return statuses && (await Promise.all(statuses));
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

/** Warns about the files in charts/ that are not charts, or not dependencies with these names. */
export async function warnAboutOthers(
  path: string,
  names: ReadonlySet<string>,
  notice: Notice,
  warn: (line: string) => void,
): Promise<void> {
  for (const file of await namesIn(path)) {
    const child = join(path, 'charts', file);
    const facts = await stat(child);
    if (!facts.isDirectory() && !basename(file).endsWith('.tgz')) continue;
    const chart = await loadAt(child, notice).catch(() => undefined);
    if (chart === undefined) warn(`WARNING: ${quote(child)} is not a chart.\n`);
    else if (!names.has(chart.metadata.name)) warn(`WARNING: ${quote(child)} is not in Chart.yaml.\n`);
  }
}
