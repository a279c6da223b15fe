import { sprintf } from '../go/fmt.ts';
import type { Value, ValueMap } from '../go/value.ts';
import type { Chart } from './chart.ts';
import { mergeValues } from './coalesce.ts';
import { coalesceTables } from './coalesce-tables.ts';
import type { Warn } from './coalesce-tables.ts';
import { asTable, copyTable } from './table.ts';
import { tableAt } from './values-path.ts';

interface Import {
  /** A path below the subchart's values. */
  child: string;
  /** A path below the parent's values; `.` is their top. */
  parent: string;
}

/** Merges what charts import from their subcharts below their own values, from the leaves up (processDependencyImportValues). */
export function importValues(chart: Chart, warn: Warn): void {
  for (const child of chart.dependencies) importValues(child, warn);
  const { dependencies } = chart.metadata;
  if (dependencies === undefined) return;
  const values = mergeValues(chart, new Map(), warn);
  const imported: ValueMap = new Map();
  for (const dependency of dependencies) {
    const imports = (dependency.importValues ?? []).flatMap(readImport);
    for (const { child, parent } of imports) {
      const table = tableAt(values, `${dependency.name}.${child}`);
      if (table !== undefined) coalesceTables(imported, nest(table, parent), 'merge', warn);
    }
    if (dependency.importValues !== undefined)
      dependency.importValues = imports.map(
        ({ child, parent }) =>
          new Map([
            ['child', child],
            ['parent', parent],
          ]),
      );
  }
  chart.values = coalesceTables(copyTable(values), imported, 'merge', warn);
}

function readImport(value: Value): Import[] {
  if (typeof value === 'string') return [{ child: `exports.${value}`, parent: '.' }];
  const table = asTable(value);
  const path = (key: string): string => sprintf('%v', [table?.get(key) ?? null]);
  return table === undefined ? [] : [{ child: path('child'), parent: path('parent') }];
}

/** The table below the keys of a path. */
function nest(table: ValueMap, path: string): ValueMap {
  if (path === '.') return table;
  return path.split('.').reduceRight<ValueMap>((below, key) => new Map([[key, below]]), table);
}
