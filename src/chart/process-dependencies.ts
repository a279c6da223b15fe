import { createHash } from 'node:crypto';
import type { ValueMap } from '../go/value.ts';
import type { Chart } from './chart.ts';
import { coalesceValues } from './values/coalesce.ts';
import { isCompatibleRange } from './metadata/compatible-range.ts';
import type { Warn } from './values/coalesce-tables.ts';
import { importValues } from './values/import-values.ts';
import type { ChartDependency } from './metadata/metadata.ts';
import { valueAt, tableAt } from './values/values-path.ts';

const notBoolean = 'returned non-bool value';

/**
 * Returns a copy of the chart with the subcharts that conditions and tags enable, under their
 * aliases, and with the values imported from them (pkg/chart/v2/util/dependencies.go:
 * ProcessDependencies). Throws `ValuesError`.
 */
export function processDependencies(chart: Chart, values: ValueMap, warn: Warn): Chart {
  const processed = copyChart(chart);
  enableDependencies(processed, values, '', warn);
  importValues(processed, warn);
  processed.digest = digestOf(processed);
  return processed;
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

function enableDependencies(chart: Chart, values: ValueMap, path: string, warn: Warn): void {
  const wanted = chart.metadata.dependencies;
  if (wanted === undefined) return;
  chart.dependencies = [
    ...chart.dependencies.filter((child) => !wanted.some((dependency) => provides(child, dependency))),
    ...wanted.flatMap((dependency) => {
      const child = chart.dependencies.find((candidate) => provides(candidate, dependency));
      return child === undefined ? [] : [copyForDependency(child, dependency)];
    }),
  ];
  for (const dependency of wanted) {
    if (dependency.alias !== undefined) dependency.name = dependency.alias;
    dependency.enabled = true;
  }
  const coalesced = coalesceValues(chart, values, warn);
  applyTags(wanted, coalesced, warn);
  applyConditions(wanted, coalesced, path, warn);
  const disabled = new Set(wanted.flatMap((dependency) => (dependency.enabled === true ? [] : [dependency.name])));
  chart.dependencies = chart.dependencies.filter((child) => !disabled.has(child.metadata.name));
  for (const child of chart.dependencies) enableDependencies(child, coalesced, `${path}${child.metadata.name}.`, warn);
  const remaining = wanted.filter((dependency) => !disabled.has(dependency.name));
  if (remaining.length > 0) chart.metadata.dependencies = remaining;
  else delete chart.metadata.dependencies;
}

function provides(chart: Chart, dependency: ChartDependency): boolean {
  return chart.metadata.name === dependency.name && isCompatibleRange(dependency.version ?? '', chart.metadata.version);
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
