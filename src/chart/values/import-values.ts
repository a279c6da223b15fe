import { sprintf } from '../../go/fmt.ts';
import { quote } from '../../go/strconv.ts';
import { NamedMap, type Value, type ValueMap } from '../../go/value.ts';
import type { Chart } from '../chart.ts';
import { mergeValues } from './coalesce.ts';
import { coalesceTables, type Warn } from './coalesce-tables.ts';
import { asTable, copyTable } from './table.ts';

interface Import {
  /** Path in the subchart's values. */
  child: string;
  /** Path in the parent's values; `.` is their top level. */
  parent: string;
  /** Whether it was written as a name below the subchart's `exports`. */
  isExport: boolean;
}

/**
 * Merges imported subchart values below the charts' own values, from the leaves up
 * (processDependencyImportValues).
 */
export function importValues(chart: Chart, warn: Warn): void {
  for (const child of chart.dependencies) importValues(child, warn);
  const { dependencies } = chart.metadata;
  if (dependencies === undefined) return;
  const values = mergeValues(chart, new Map(), warn);
  const imported: ValueMap = new Map();
  for (const dependency of dependencies) {
    const imports = (dependency.importValues ?? []).flatMap(readImport);
    for (const { child, parent, isExport } of imports) {
      const path = `${dependency.name}.${child}`;
      const table = tableAt(values, path);
      if (table !== undefined) coalesceTables(imported, nest(table, parent), 'merge', warn);
      else warnOfMissing(dependency.name, missingTableIn(values, path), isExport, warn);
    }
    if (imports.length === 0) delete dependency.importValues;
    else dependency.importValues = imports.map(importedTable);
  }
  chart.values = coalesceTables(copyTable(values), imported, 'merge', warn);
}

/**
 * Returns the marker of a completed import. A chart that shares its metadata with another does not
 * repeat it.
 */
function importedTable({ child, parent }: Import): Value {
  return new NamedMap('map[string]string', [
    ['child', child],
    ['parent', parent],
  ]);
}

function readImport(value: Value): Import[] {
  if (value instanceof NamedMap) return [];
  if (typeof value === 'string') return [{ child: `exports.${value}`, parent: '.', isExport: true }];
  const table = asTable(value);
  const path = (key: string): string => sprintf('%v', [table?.get(key) ?? null]);
  return table === undefined ? [] : [{ child: path('child'), parent: path('parent'), isExport: false }];
}

function warnOfMissing(chart: string, key: string, isExport: boolean, warn: Warn): void {
  const error = `${quote(key)} is not a table`;
  if (isExport) warn('ImportValues missing table', { error });
  else warn('ImportValues missing table from chart', { chart, error });
}

/** Wraps a table in the keys of a path. */
function nest(table: ValueMap, path: string): ValueMap {
  if (path === '.') return table;
  return path.split('.').reduceRight<ValueMap>((below, key) => new Map([[key, below]]), table);
}

/** Returns the table at a dotted path, or undefined (pkg/chart/common/values.go: Table). */
export function tableAt(values: ValueMap, path: string): ValueMap | undefined {
  let table: ValueMap | undefined = values;
  for (const key of path.split('.')) table = asTable(table?.get(key));
  return table;
}

/** Returns the first key of a dotted path that is not a table; empty if all are. */
function missingTableIn(values: ValueMap, path: string): string {
  let table: ValueMap | undefined = values;
  for (const key of path.split('.')) {
    table = asTable(table.get(key));
    if (table === undefined) return key;
  }
  return '';
}

/** Returns the value at a dotted path; undefined if there is none or it is a table (PathValue). */
export function valueAt(values: ValueMap, path: string): Value | undefined {
  const dot = path.lastIndexOf('.');
  const table = dot < 0 ? values : tableAt(values, path.slice(0, dot));
  const value = table?.get(path.slice(dot + 1));
  return asTable(value) === undefined ? value : undefined;
}
