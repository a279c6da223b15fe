import { sprintf } from '../../go/fmt.ts';
import type { Value, ValueMap } from '../../go/value.ts';
import { asTable } from './table.ts';

/**
 * Receives warnings with Helm's texts. Those about values are plain text, logged by Helm as INFO;
 * those about dependencies have attributes and are logged as WARN.
 */
export type Warn = (warning: string, attributes?: Readonly<Record<string, string>>) => void;

/**
 * `coalesce` lets a null of the user delete a chart's default; `merge` keeps nulls for a later pass
 * (pkg/chart/common/util/coalesce.go).
 */
export type JoinMode = 'coalesce' | 'merge';

/** Returns `a.b`, or `b` if `a` is empty. */
export function joinPath(prefix: string, key: string): string {
  return prefix === '' ? key : `${prefix}.${key}`;
}

/**
 * Merges `source` into `target`. `target` takes precedence; both are changed
 * (coalesceTablesFullKey).
 */
export function coalesceTables(target: ValueMap, source: ValueMap, mode: JoinMode, warn: Warn, prefix = ''): ValueMap {
  const filled = new Set([...source].flatMap(([key, value]) => (value === null ? [] : [key])));
  for (const [key, value] of target) {
    if (value === null) source.set(key, null);
  }
  for (const [key, value] of source) {
    const own = target.get(key);
    if (mode === 'coalesce' && own === null && filled.has(key)) target.delete(key);
    else if (own === undefined) target.set(key, value);
    else joinValue(own, value, mode, warn, joinPath(prefix, key));
  }
  return target;
}

function joinValue(own: Value, value: Value, mode: JoinMode, warn: Warn, path: string): void {
  const ownTable = asTable(own);
  const table = asTable(value);
  if (table !== undefined && ownTable !== undefined) coalesceTables(ownTable, table, mode, warn, path);
  else if (table !== undefined)
    warn(sprintf('warning: cannot overwrite table with non table for %s (%v)', [path, table]));
  else if (ownTable !== undefined && value !== null) {
    warn(sprintf('warning: destination for %s is a table. Ignoring non-table value (%v)', [path, value]));
  }
}

/** Removes nulls from a table and its nested tables (cleanNilValues). */
export function removeNulls(table: ValueMap): void {
  for (const [key, value] of table) {
    const below = asTable(value);
    if (value === null) table.delete(key);
    else if (below !== undefined) removeNulls(below);
  }
}
