import { valueMapOfPlain, valueOfPlain } from '../../../release/plain-value.ts';
import type { Release } from '../../../release/release.ts';
import type { Fields, Printable } from './format.ts';

/** Fields of Chart.yaml in the order of Helm's struct (pkg/chart/v2/metadata.go). */
const metadataFields = [
  ...['name', 'home', 'sources', 'version', 'description', 'keywords', 'maintainers', 'icon', 'apiVersion'],
  ...['condition', 'tags', 'appVersion', 'deprecated', 'annotations', 'kubeVersion', 'dependencies', 'type'],
];

/** Fields of the items of its lists (pkg/chart/v2/dependency.go). */
const itemFields: Readonly<Record<string, readonly string[]>> = {
  maintainers: ['name', 'email', 'url'],
  dependencies: ['name', 'version', 'repository', 'condition', 'tags', 'enabled', 'import-values', 'alias'],
};

/** Go's zero time. */
const noTime = '0001-01-01T00:00:00Z';

/**
 * Returns a chart as Helm prints it in a release (pkg/chart/v2/chart.go), without the times of its
 * files. Undefined if the release came in a packet, without its chart.
 */
export function chartFields({ chart }: Release): Fields | undefined {
  if (!Array.isArray(chart.templates)) return undefined;
  const { metadata, lock, templates, values, schema, files } = chart;
  return {
    metadata: metadata === null ? null : chartMetadataFields(metadata),
    lock: lock === null ? null : valueMapOfPlain(lock),
    templates: templates.map(({ name, data }) => ({ name, data })),
    values: valueOfPlain(values),
    schema,
    schemamodtime: noTime,
    files: files === null || files.length === 0 ? null : files.map(({ name, data }) => ({ name, data })),
  };
}

function chartMetadataFields(metadata: object): Fields {
  return orderedFields(metadata, metadataFields, (name, value) => {
    const fields = itemFields[name];
    if (fields === undefined || !Array.isArray(value)) return valueOfPlain(value);
    return value.map((item: unknown) => (isObject(item) ? orderedFields(item, fields) : valueOfPlain(item)));
  });
}

function orderedFields(
  object: object,
  names: readonly string[],
  print: (name: string, value: unknown) => Printable = (_, value) => valueOfPlain(value),
): Fields {
  const given = new Map<string, unknown>(Object.entries(object));
  return Object.fromEntries(names.flatMap((name) => (given.has(name) ? [[name, print(name, given.get(name))]] : [])));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
