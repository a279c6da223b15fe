import { createHash } from 'node:crypto';
import { fromBytes } from '../go/text.ts';
import type { Value } from '../go/value.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import type { Chart, ChartFile } from './chart.ts';
import { ChartError } from './chart-error.ts';
import { loadValues } from './load-values.ts';
import { readLock, readMetadata } from './read-metadata.ts';
import type { RawMetadata } from './read-metadata.ts';
import { validateMetadata } from './validate-metadata.ts';

/** How the archives in a chart's charts/ folder are loaded. */
export type NestedLoader = (archive: Uint8Array) => Promise<Chart>;

/** The parts of a chart by where their files are. */
interface Sorted {
  templates: ChartFile[];
  files: ChartFile[];
  /** By the first part of the path below charts/; names are relative to charts/. */
  subcharts: Map<string, ChartFile[]>;
}

/**
 * Builds a chart from its files, which have names relative to the chart's folder (pkg/chart/v2/loader/load.go: LoadFiles).
 * Throws {@link ChartError} with Helm's texts.
 */
export async function loadFiles(files: readonly ChartFile[], loadNested: NestedLoader): Promise<Chart> {
  const raw = readAllMetadata(files);
  const isV1 = raw.apiVersion === 'v1';
  const sorted = sortFiles(files, isV1);
  const valuesFile = fileData(files, 'values.yaml');
  const schema = fileData(files, 'values.schema.json');
  const lock = readLockFile(files);
  const loadedValues =
    valuesFile === undefined
      ? new Map<string, Value>()
      : during('cannot load values.yaml', () => loadValues(fromBytes(valuesFile)));
  const metadata = validateMetadata(raw);
  return {
    metadata,
    values: loadedValues,
    ...(valuesFile !== undefined && { valuesFile }),
    ...(schema !== undefined && { schema }),
    ...(lock !== undefined && { lock }),
    templates: sorted.templates,
    files: sorted.files,
    dependencies: await loadSubcharts(sorted.subcharts, metadata.name, loadNested),
    digest: digestOf(files),
  };
}

function readAllMetadata(files: readonly ChartFile[]): RawMetadata {
  const chartYaml = fileText(files, 'Chart.yaml');
  const requirements = fileText(files, 'requirements.yaml');
  let raw: RawMetadata | undefined;
  if (chartYaml !== undefined) {
    const metadata = during('cannot load Chart.yaml', () => readMetadata(chartYaml));
    // Helm 2 took charts without an apiVersion
    raw = {
      ...metadata,
      apiVersion: metadata.apiVersion === undefined || metadata.apiVersion === '' ? 'v1' : metadata.apiVersion,
    };
  }
  if (requirements !== undefined) {
    const more = during('cannot load requirements.yaml', () => readMetadata(requirements));
    raw = { ...raw, ...Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined)) };
  }
  if (raw === undefined) throw new ChartError('chart_invalid', 'Chart.yaml file is missing');
  return raw;
}

function fileText(files: readonly ChartFile[], name: string): string | undefined {
  const data = fileData(files, name);
  return data && fromBytes(data);
}

function fileData(files: readonly ChartFile[], name: string): Uint8Array | undefined {
  return files.findLast((candidate) => candidate.name === name)?.data;
}

function readLockFile(files: readonly ChartFile[]): Record<string, unknown> | undefined {
  const file = files.findLast(({ name }) => name === 'Chart.lock' || name === 'requirements.lock');
  if (file === undefined) return undefined;
  const lock = during(`cannot load ${file.name}`, () => readLock(fromBytes(file.data)));
  return (
    lock && {
      generated: lock.generated === undefined || lock.generated === '' ? '0001-01-01T00:00:00Z' : lock.generated,
      digest: lock.digest ?? '',
      dependencies: lock.dependencies ?? null,
    }
  );
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
    below.push({ name, data: file.data });
    sorted.subcharts.set(subchart, below);
  }
}

async function loadSubcharts(
  subcharts: ReadonlyMap<string, readonly ChartFile[]>,
  parent: string,
  loadNested: NestedLoader,
): Promise<Chart[]> {
  const charts: Chart[] = [];
  for (const [name, files] of subcharts) {
    if (name.startsWith('_') || name.startsWith('.')) continue;
    try {
      charts.push(await loadSubchart(name, files, parent, loadNested));
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
  loadNested: NestedLoader,
): Promise<Chart> {
  if (!name.endsWith('.tgz')) {
    const below = files.filter((file) => file.name.includes('/'));
    return loadFiles(
      below.map((file) => ({ name: file.name.slice(file.name.indexOf('/') + 1), data: file.data })),
      loadNested,
    );
  }
  const [archive] = files;
  if (archive?.name !== name) {
    throw new ChartError(
      'chart_invalid',
      `error unpacking subchart tar in ${parent}: expected ${name}, got ${archive?.name ?? ''}`,
    );
  }
  return loadNested(archive.data);
}

function digestOf(files: readonly ChartFile[]): string {
  const hash = createHash('sha256');
  for (const { name, data } of files) hash.update(`${name}\0${data.length}\0`).update(data);
  return hash.digest('hex');
}
