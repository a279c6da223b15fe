import { asTable } from '../chart/values/table.ts';
import { sortedKeys } from '../go/text.ts';
import { isList } from '../go/types.ts';
import type { Value } from '../go/value.ts';

const maintainer = new Set(['name', 'email', 'url']);
const dependency = new Set(['name', 'version', 'repository', 'condition', 'tags', 'enabled', 'import-values', 'alias']);
const chart = new Set([
  ...[
    'name',
    'home',
    'sources',
    'version',
    'description',
    'keywords',
    'maintainers',
    'icon',
    'apiversion',
    'condition',
  ],
  ...['tags', 'appversion', 'deprecated', 'annotations', 'kubeversion', 'dependencies', 'type'],
]);
const below: Readonly<Record<string, ReadonlySet<string>>> = { maintainers: maintainer, dependencies: dependency };

/**
 * Returns the first field of a Chart.yaml that Helm does not know, in Go's order of decoding. Names
 * match in any case.
 */
export function unknownField(fields: Value): string | undefined {
  const table = asTable(fields);
  if (table === undefined) return undefined;
  for (const key of sortedKeys(table)) {
    const name = key.toLowerCase();
    if (!chart.has(name)) return key;
    const known = below[name];
    const items = table.get(key);
    const unknown = known && isList(items) ? unknownIn(items, known) : undefined;
    if (unknown !== undefined) return unknown;
  }
  return undefined;
}

function unknownIn(items: readonly Value[], known: ReadonlySet<string>): string | undefined {
  const keys = items.flatMap((item) => (item instanceof Map ? sortedKeys(item) : []));
  return keys.find((key) => !known.has(key.toLowerCase()));
}
