import type { Value, ValueMap } from '../../go/value.ts';
import { asTable } from './table.ts';

/** The table at a path with dots, or undefined (pkg/chart/common/values.go: Table). */
export function tableAt(values: ValueMap, path: string): ValueMap | undefined {
  let table: ValueMap | undefined = values;
  for (const key of path.split('.')) table = asTable(table?.get(key));
  return table;
}

/** The first key of a path with dots that leads to no table; empty where all do. */
export function missingTableIn(values: ValueMap, path: string): string {
  const keys = path.split('.');
  return keys.find((_, i) => tableAt(values, keys.slice(0, i + 1).join('.')) === undefined) ?? '';
}

/** The value at a path with dots; undefined where there is none or it is a table (PathValue). */
export function valueAt(values: ValueMap, path: string): Value | undefined {
  const dot = path.lastIndexOf('.');
  const table = dot < 0 ? values : tableAt(values, path.slice(0, dot));
  const value = table?.get(path.slice(dot + 1));
  return asTable(value) === undefined ? value : undefined;
}
