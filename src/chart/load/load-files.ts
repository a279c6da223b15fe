import { createHash } from 'node:crypto';
import { fromBytes } from '../../go/text.ts';
import type { Value } from '../../go/value.ts';
import { YamlError } from '../../yaml/yaml-error.ts';
import type { Chart, ChartFile, ModifiedFiles } from '../chart.ts';
import { ChartError } from '../chart-error.ts';
import type { ChartLimits, LoadedTotals } from '../limits.ts';
import type { ChartDependency, ChartLock } from '../metadata/metadata.ts';
import type { RawDependency, RawMetadata } from '../metadata/read-metadata.ts';
import { readLock, readMetadata } from '../metadata/read-metadata.ts';
import { dependencyOf, validateMetadata } from '../metadata/validate-metadata.ts';
import { loadValues } from '../values/load-values.ts';
import type { Notice } from './chart-content.ts';

/** Limits, totals and functions that loading a chart and its subcharts share. */
export interface LoadContext {
  readonly limits: ChartLimits;
  /** Counts the charts. */
  readonly loaded: LoadedTotals;
  /** Unpacks a subchart in charts/. */
  readonly readArchive: (archive: Uint8Array) => Promise<ChartFile[]>;
  readonly notice: Notice;
}

/** Files of a chart by their role. */
interface Sorted {
  templates: ChartFile[];
  files: ChartFile[];
  /**
   * Subchart files by the first part of their path below charts/. Names are relative to charts/.
   */
  subcharts: Map<string, ChartFile[]>;
}

/**
 * Builds a chart from its files, whose names are relative to the chart's folder
 * (pkg/chart/v2/loader/load.go: LoadFiles). Throws {@link ChartError} with Helm's texts.
 * @param depth depth of the chart among the subcharts, from 1
 */
export async function loadFiles(files: readonly ChartFile[], context: LoadContext, depth = 1): Promise<Chart> {
  countChart(context, depth);
  // read in Helm's order, so that the same one of several invalid files is reported
  const chartFile = readChartFile(files);
  const lock = readLockFile(files);
  const raw = withRequirements(chartFile, files);
  const valuesFile = fileData(files, 'values.yaml');
  const loadedValues =
    valuesFile === undefined
      ? new Map<string, Value>()
      : during('cannot load values.yaml', () => loadValues(fromBytes(valuesFile)));
  if (raw === undefined) throw new ChartError('chart_invalid', 'Chart.yaml file is missing');
  const schema = fileData(files, 'values.schema.json');
  const isV1 = raw.apiVersion === 'v1';
  if (!isV1) reportUnusedFiles(files, context.notice);
  const sorted = sortFiles(files, isV1);
  const metadata = validateMetadata(raw);
  const dependencies = await loadSubcharts(sorted.subcharts, metadata.name, context, depth);
  return {
    metadata,
    values: loadedValues,
    ...(valuesFile !== undefined && { valuesFile }),
    ...(schema !== undefined && { schema }),
    ...(lock !== undefined && { lock }),
    ...modifiedFiles(files),
    templates: sorted.templates,
    files: sorted.files,
    dependencies,
    digest: digestOf(files, dependencies),
  };
}

function modifiedFiles(files: readonly ChartFile[]): { modified?: ModifiedFiles } {
  const names = ['Chart.yaml', 'values.yaml', 'values.schema.json'] as const;
  const times = names.flatMap((name) => {
    const time = files.findLast((file) => file.name === name)?.modified;
    return time === undefined ? [] : [[name, time] as const];
  });
  return times.length === 0 ? {} : { modified: Object.fromEntries(times) };
}

function countChart({ limits, loaded }: LoadContext, depth: number): void {
  if (depth > limits.chartDepth) {
    throw new ChartError('too_large', `subcharts are nested deeper than ${limits.chartDepth}`);
  }
  loaded.charts++;
  if (loaded.charts > limits.charts) throw new ChartError('too_large', `there are more than ${limits.charts} charts`);
}

const unused = new Map(
  Object.entries({
    'requirements.yaml':
      'Warning: Dependencies are handled in Chart.yaml since apiVersion "v2". We recommend migrating dependencies to Chart.yaml.',
    'requirements.lock':
      'Warning: Dependency locking is handled in Chart.lock since apiVersion "v2". We recommend migrating to Chart.lock.',
  }),
);

/** Reports apiVersion v1 files that Chart.yaml and Chart.lock replace in v2. */
function reportUnusedFiles(files: readonly ChartFile[], notice: Notice): void {
  for (const { name } of files) {
    const text = unused.get(name);
    if (text !== undefined) notice(text);
  }
}

function readChartFile(files: readonly ChartFile[]): RawMetadata | undefined {
  const text = fileText(files, 'Chart.yaml');
  if (text === undefined) return undefined;
  const metadata = during('cannot load Chart.yaml', () => readMetadata(text));
  // Helm 2 accepted charts without an apiVersion
  return { ...metadata, apiVersion: metadata.apiVersion || 'v1' };
}

function withRequirements(chartFile: RawMetadata | undefined, files: readonly ChartFile[]): RawMetadata | undefined {
  const text = fileText(files, 'requirements.yaml');
  if (text === undefined) return chartFile;
  return during('cannot load requirements.yaml', () => readMetadata(text, chartFile));
}

function fileText(files: readonly ChartFile[], name: string): string | undefined {
  const data = fileData(files, name);
  return data && fromBytes(data);
}

function fileData(files: readonly ChartFile[], name: string): Uint8Array | undefined {
  return files.findLast((candidate) => candidate.name === name)?.data;
}

function readLockFile(files: readonly ChartFile[]): ChartLock | undefined {
  const file = files.findLast(({ name }) => name === 'Chart.lock' || name === 'requirements.lock');
  if (file === undefined) return undefined;
  const lock = during(`cannot load ${file.name}`, () => readLock(fromBytes(file.data)));
  return (
    lock && {
      generated: lock.generated,
      digest: lock.digest,
      dependencies: lock.dependencies?.map(lockedDependency) ?? null,
    }
  );
}

function lockedDependency(raw: RawDependency | null): ChartDependency {
  return raw === null ? { name: '', repository: '' } : dependencyOf(raw);
}

function during<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof YamlError)
      throw new ChartError('chart_invalid', `${what}: ${error.message}`, { cause: error });
    throw error;
  }
}

function sortFiles(files: readonly ChartFile[], isV1: boolean): Sorted {
  const sorted: Sorted = { templates: [], files: [], subcharts: new Map() };
  for (const file of files) {
    switch (file.name) {
      case 'Chart.yaml':
      case 'Chart.lock':
      case 'values.yaml':
      case 'values.schema.json':
        break;
      case 'requirements.yaml':
      case 'requirements.lock':
        if (isV1) sorted.files.push(file);
        break;
      default:
        sortByFolder(file, sorted);
    }
  }
  return sorted;
}

function sortByFolder(file: ChartFile, sorted: Sorted): void {
  if (file.name.startsWith('templates/')) sorted.templates.push(file);
  else if (!file.name.startsWith('charts/') || file.name.endsWith('.prov')) sorted.files.push(file);
  else {
    const name = file.name.slice('charts/'.length);
    const [subchart = ''] = name.split('/', 1);
    const below = sorted.subcharts.get(subchart) ?? [];
    below.push({ ...file, name });
    sorted.subcharts.set(subchart, below);
  }
}

async function loadSubcharts(
  subcharts: ReadonlyMap<string, readonly ChartFile[]>,
  parent: string,
  context: LoadContext,
  depth: number,
): Promise<Chart[]> {
  const charts: Chart[] = [];
  for (const [name, files] of subcharts) {
    if (name.startsWith('_') || name.startsWith('.')) continue;
    try {
      charts.push(await loadSubchart(name, files, parent, context, depth));
    } catch (error) {
      if (!(error instanceof ChartError)) throw error;
      throw new ChartError(error.code, `error unpacking subchart ${name} in ${parent}: ${error.message}`, {
        cause: error,
      });
    }
  }
  return charts;
}

async function loadSubchart(
  name: string,
  files: readonly ChartFile[],
  parent: string,
  context: LoadContext,
  depth: number,
): Promise<Chart> {
  if (!name.endsWith('.tgz')) {
    const below = files.filter((file) => file.name.includes('/'));
    const own = below.map((file) => ({ ...file, name: file.name.slice(name.length + 1) }));
    return loadFiles(own, context, depth + 1);
  }
  const [archive] = files;
  if (archive?.name !== name) {
    throw new ChartError(
      'chart_invalid',
      `error unpacking subchart tar in ${parent}: expected ${name}, got ${archive?.name ?? ''}`,
    );
  }
  return loadFiles(await context.readArchive(archive.data), context, depth + 1);
}

/** Hashes each file once, at whatever depth it is. */
function digestOf(files: readonly ChartFile[], dependencies: readonly Chart[]): string {
  const hash = createHash('sha256');
  for (const { name, data } of files) {
    if (!name.startsWith('charts/')) hash.update(`${name}\0${data.length}\0`).update(data);
  }
  for (const { digest } of dependencies) hash.update(`charts/\0${digest}\0`);
  return hash.digest('hex');
}
