import { valueMapOfPlain, valueOfPlain } from '../../../release/plain-value.ts';
import type { Release } from '../../../release/release.ts';
import type { Fields } from '../../ctl/output/format.ts';

/** Fields of Chart.yaml in the order of Helm's struct (pkg/chart/v2/metadata.go). */
const metadataFields = [
  ...['name', 'home', 'sources', 'version', 'description', 'keywords', 'maintainers', 'icon', 'apiVersion'],
  ...['condition', 'tags', 'appVersion', 'deprecated', 'annotations', 'kubeVersion', 'dependencies', 'type'],
];

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
    metadata: metadata === null ? null : orderedFields(metadata),
    lock: lock === null ? null : valueMapOfPlain(lock),
    templates: templates.map(({ name, data }) => ({ name, data })),
    values: valueOfPlain(values),
    schema,
    schemamodtime: noTime,
    files: files === null || files.length === 0 ? null : files.map(({ name, data }) => ({ name, data })),
  };
}

function orderedFields(metadata: object): Fields {
  const given = new Map<string, unknown>(Object.entries(metadata));
  return Object.fromEntries(
    metadataFields.flatMap((name) => (given.has(name) ? [[name, valueOfPlain(given.get(name))]] : [])),
  );
}
