import { createHash } from 'node:crypto';
import type { ValueMap } from '../go/value.ts';
import type { Chart } from './chart.ts';
import { ChartError } from './chart-error.ts';
import { defaultChartLimits } from './limits.ts';
import { isCompatibleRange } from './metadata/compatible-range.ts';
import type { ChartDependency } from './metadata/metadata.ts';
import { coalesceValues } from './values/coalesce.ts';
import type { Warn } from './values/coalesce-tables.ts';
import { importValues, tableAt, valueAt } from './values/import-values.ts';

const notBoolean = 'returned non-bool value';

/**
 * Returns a copy of the chart with the subcharts that conditions and tags enable, under their
 * aliases, and with the values imported from them (pkg/chart/v2/util/dependencies.go:
 * ProcessDependencies). Throws `ValuesError`, and {@link ChartError} `too_large` if the copies
 * under aliases are too many.
 * @param most limit of charts, copies under aliases included
 */
export function processDependencies(
  chart: Chart,
  values: ValueMap,
  warn: Warn,
  most = defaultChartLimits.charts,
): Chart {
  const processed = copyChart(chart);
  const copying: Copying = { warn, charts: countCharts(chart), most };
  enableDependencies(processed, values, { path: '', chartPath: chart.metadata.name }, copying);
  importValues(processed, warn);
  processed.digest = digestOf(processed);
  return processed;
}

interface Copying {
  readonly warn: Warn;
  /** Number of charts, with the copies so far. */
  charts: number;
  readonly most: number;
}

/** Where a chart is: the prefix of its values, and the names of the charts above it and its own. */
interface ChartPosition {
  readonly path: string;
  readonly chartPath: string;
}

function countCharts({ dependencies }: Chart): number {
  return dependencies.reduce((count, child) => count + countCharts(child), 1);
}

/** Copies everything that processing changes; files and values are shared. */
function copyChart(chart: Chart): Chart {
  const { dependencies, ...metadata } = chart.metadata;
  return {
    ...chart,
    metadata: {
      ...metadata,
      ...(dependencies && { dependencies: dependencies.map((dependency) => ({ ...dependency })) }),
    },
    dependencies: chart.dependencies.map(copyChart),
  };
}

function enableDependencies(chart: Chart, values: ValueMap, position: ChartPosition, copying: Copying): void {
  const wanted = chart.metadata.dependencies;
  if (wanted === undefined) return;
  const { path, chartPath } = position;
  const { warn } = copying;
  copyDependencies(chart, wanted, chartPath, copying);
  for (const dependency of wanted) {
    if (dependency.alias !== undefined) dependency.name = dependency.alias;
    dependency.enabled = true;
  }
  const coalesced = coalesceValues(chart, values, warn);
  applyTags(wanted, coalesced, warn);
  applyConditions(wanted, coalesced, path, warn);
  const disabled = new Set(wanted.flatMap((dependency) => (dependency.enabled === true ? [] : [dependency.name])));
  chart.dependencies = chart.dependencies.filter((child) => !disabled.has(child.metadata.name));
  for (const child of chart.dependencies) {
    const { name } = child.metadata;
    enableDependencies(
      child,
      coalesced,
      { path: `${path}${name}.`, chartPath: `${chartPath}/charts/${name}` },
      copying,
    );
  }
  const remaining = wanted.filter((dependency) => !disabled.has(dependency.name));
  if (remaining.length > 0) chart.metadata.dependencies = remaining;
  else delete chart.metadata.dependencies;
}

/** Replaces the subcharts that a dependency wants by a copy for each such dependency. */
function copyDependencies(chart: Chart, wanted: readonly ChartDependency[], chartPath: string, copying: Copying): void {
  if (wanted.length > copying.most) throw tooMany(chartPath, copying);
  const children = Map.groupBy(chart.dependencies, ({ metadata }) => metadata.name);
  const known = new Map<string, boolean>();
  const provides = ({ metadata: { version } }: Chart, { version: range = '' }: ChartDependency): boolean => {
    const key = `${range}\0${version}`;
    const isCompatible = known.get(key) ?? isCompatibleRange(range, version);
    known.set(key, isCompatible);
    return isCompatible;
  };
  const provided = new Set<Chart>();
  const chosen = wanted.flatMap((dependency) => {
    const candidates = (children.get(dependency.name) ?? []).filter((child) => provides(child, dependency));
    for (const child of candidates) provided.add(child);
    const [child] = candidates;
    return child === undefined ? [] : [{ child, dependency }];
  });
  for (const child of provided) copying.charts -= countCharts(child);
  const copies = chosen.map(({ child, dependency }) => {
    copying.charts += countCharts(child);
    if (copying.charts > copying.most) throw tooMany(chartPath, copying);
    return copyForDependency(child, dependency);
  });
  chart.dependencies = [...chart.dependencies.filter((child) => !provided.has(child)), ...copies];
}

function tooMany(chartPath: string, { most }: Copying): ChartError {
  return new ChartError('too_large', `${chartPath}: with its dependencies, the chart has more than ${most} charts`);
}

/**
 * Copies a chart for one dependency. As in Helm, copies of the same chart share the metadata below
 * their own subcharts.
 */
function copyForDependency(chart: Chart, dependency: ChartDependency): Chart {
  const copy = { ...copyChart(chart), dependencies: chart.dependencies.map((child) => ({ ...child })) };
  if (dependency.alias !== undefined) copy.metadata.name = dependency.alias;
  return copy;
}

/** Disables a dependency if one of its tags is false and none is true. */
function applyTags(dependencies: readonly ChartDependency[], values: ValueMap, warn: Warn): void {
  const tags = tableAt(values, 'tags');
  if (tags === undefined) return;
  for (const dependency of dependencies) {
    const own = dependency.tags ?? [];
    for (const tag of own) {
      const state = tags.get(tag);
      if (state !== undefined && typeof state !== 'boolean') warn(notBoolean, { tag, chart: dependency.name });
    }
    const states = own.map((tag) => tags.get(tag));
    dependency.enabled = states.includes(true) || !states.includes(false);
  }
}

/** The first path of a condition that leads to a boolean decides; it overrides tags. */
function applyConditions(dependencies: readonly ChartDependency[], values: ValueMap, prefix: string, warn: Warn): void {
  for (const dependency of dependencies) {
    for (const path of (dependency.condition ?? '').trim().split(',')) {
      const state = path === '' ? undefined : valueAt(values, prefix + path);
      if (typeof state === 'boolean') {
        dependency.enabled = state;
        break;
      }
      if (state !== undefined) warn(notBoolean, { path, chart: dependency.name });
    }
  }
}

function digestOf(chart: Chart): string {
  const below = chart.dependencies.map((child) => `${child.metadata.name}\0${digestOf(child)}`);
  return below.length === 0
    ? chart.digest
    : createHash('sha256')
        .update([chart.digest, ...below].join('\0'))
        .digest('hex');
}
