import type { Value, ValueMap } from '../../go/value.ts';
import { asTable } from './table.ts';

/** Returns the table at a dotted path, or undefined (pkg/chart/common/values.go: Table). */
export function tableAt(values: ValueMap, path: string): ValueMap | undefined {
  let table: ValueMap | undefined = values;
  for (const key of path.split('.')) table = asTable(table?.get(key));
  return table;
}

/** Returns the first key of a dotted path that is not a table; empty if all are. */
export function missingTableIn(values: ValueMap, path: string): string {
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
