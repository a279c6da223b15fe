import { sprintf } from '../../go/fmt.ts';
import type { Value, ValueMap } from '../../go/value.ts';
import type { Chart } from '../chart.ts';
import type { JoinMode, Warn } from './coalesce-tables.ts';
import { coalesceTables, joinPath, removeNulls } from './coalesce-tables.ts';
import { asTable, copyTable } from './table.ts';
import { ValuesError } from './values-error.ts';

const globalKey = 'global';

/** The parts of a chart that have its default values. */
export interface Defaults extends Pick<Chart, 'values'> {
  metadata: { name: string };
  dependencies: readonly Defaults[];
}

/**
 * Merges the user's values over those of a chart and its subcharts, as templates see them. A null
 * of the user deletes a default (pkg/chart/common/util/coalesce.go: CoalesceValues). Neither
 * argument is changed. Throws {@link ValuesError}.
 */
export function coalesceValues(chart: Defaults, values: ReadonlyMap<string, Value>, warn: Warn): ValueMap {
  return coalesceChart(chart, copyTable(values), '', 'coalesce', warn);
}

/** Like {@link coalesceValues}, but keeps nulls (MergeValues). */
export function mergeValues(chart: Defaults, values: ReadonlyMap<string, Value>, warn: Warn): ValueMap {
  return coalesceChart(chart, copyTable(values), '', 'merge', warn);
}

function coalesceChart(chart: Defaults, values: ValueMap, prefix: string, mode: JoinMode, warn: Warn): ValueMap {
  addDefaults(chart, values, joinPath(prefix, chart.metadata.name), mode, warn);
  const path = joinPath(prefix, chart.metadata.name);
  for (const child of chart.dependencies) {
    const { name } = child.metadata;
    if (!values.has(name)) values.set(name, new Map());
    const own = values.get(name) ?? null;
    const table = asTable(own);
    if (table === undefined) throw new ValuesError(sprintf('type mismatch on %s: %t', [name, own]));
    passGlobals(table, values, path, warn);
    values.set(name, coalesceChart(child, table, path, mode, warn));
  }
  return values;
}

/** Adds the chart's own values to `values`, which take precedence (coalesceValues). */
function addDefaults(chart: Defaults, values: ValueMap, path: string, mode: JoinMode, warn: Warn): void {
  const children = new Set(chart.dependencies.map(({ metadata }) => metadata.name));
  for (const [key, value] of copyTable(chart.values)) {
    const own = values.get(key);
    const table = asTable(value);
    if (own === undefined) {
      if (mode === 'coalesce') {
        if (value === null) continue;
        if (table !== undefined) removeNulls(table);
      }
      values.set(key, value);
      continue;
    }
    const ownTable = asTable(own);
    if (own === null && mode === 'coalesce') values.delete(key);
    else if (ownTable !== undefined && table !== undefined) {
      const below = children.has(key) ? 'merge' : mode;
      if (below === 'coalesce') removeNulls(table);
      coalesceTables(ownTable, table, below, warn, joinPath(path, key));
    } else if (ownTable !== undefined && value !== null)
      warn(`warning: skipped value for ${path}.${key}: Not a table.`);
  }
}

/** Merges the globals of `from` into those of `to`; `from` takes precedence (coalesceGlobals). */
function passGlobals(to: ValueMap, from: ValueMap, prefix: string, warn: Warn): void {
  const target = to.has(globalKey) ? asTable(to.get(globalKey)) : new Map<string, Value>();
  if (target === undefined) {
    warn(`warning: skipping globals because destination ${globalKey} is not a table.`);
    return;
  }
  const source = from.has(globalKey) ? asTable(from.get(globalKey)) : new Map<string, Value>();
  if (source === undefined) {
    warn(`warning: skipping globals because source ${globalKey} is not a table.`);
    return;
  }
  for (const [key, value] of source) passGlobal(target, key, value, prefix, warn);
  to.set(globalKey, target);
}

function passGlobal(target: ValueMap, key: string, value: Value, prefix: string, warn: Warn): void {
  const own = target.get(key);
  const ownTable = asTable(own);
  const table = asTable(value);
  if (table === undefined) {
    if (ownTable === undefined) target.set(key, value);
    else warn(`key ${key} is table. Skipping`);
    return;
  }
  const copy: ValueMap = new Map(table);
  if (own === undefined) target.set(key, copy);
  else if (ownTable === undefined) warn(sprintf('Conflict: cannot merge map onto non-map for %q. Skipping.', [key]));
  else target.set(key, coalesceTables(copy, ownTable, 'merge', warn, joinPath(prefix, key)));
}
