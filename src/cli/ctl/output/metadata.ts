import * as z from 'zod';
import type { Host } from '../../../go/host.ts';
import { quote } from '../../../go/strconv.ts';
import { valueMapOfPlain, valueOfPlain } from '../../../release/plain-value.ts';
import type { Release } from '../../../release/release.ts';
import type { Fields, Output } from './format.ts';
import { rfc3339Time } from './time.ts';

const text = z.string().catch('');
const dependencySchema = z.looseObject({
  name: text,
  version: text,
  repository: text,
  condition: text,
  tags: z.array(z.string()).catch([]),
  enabled: z.boolean().catch(false),
  'import-values': z.array(z.unknown()).catch([]),
  alias: text,
});

/** The parts of Chart.yaml that the output shows. */
const metadataSchema = z.looseObject({
  annotations: z.record(z.string(), z.string()).catch({}),
  dependencies: z.array(dependencySchema).catch([]),
});

/** Returns the output of `helm get metadata` (pkg/cmd/get_metadata.go). */
export function metadataOutput(release: Release, labels: Readonly<Record<string, string>>, host: Host): Output {
  const { name, namespace, version, info, chart, apply_method: method = '' } = release;
  const { annotations, dependencies } = metadataSchema.parse(chart.metadata ?? {});
  const deployedAt = rfc3339Time(info.last_deployed, host);
  return {
    table: () =>
      [
        ['NAME', name],
        ['CHART', chart.metadata?.name ?? ''],
        ['VERSION', chart.metadata?.version ?? ''],
        ['APP_VERSION', chart.metadata?.appVersion ?? ''],
        ['ANNOTATIONS', pairs(annotations)],
        ['LABELS', pairs(labels)],
        [
          'DEPENDENCIES',
          dependencies
            .map((dependency) => dependency.name)
            .sort()
            .join(','),
        ],
        ['NAMESPACE', namespace],
        ['REVISION', String(version)],
        ['STATUS', info.status],
        ['DEPLOYED_AT', deployedAt],
        ['APPLY_METHOD', applyMethodText(method)],
      ]
        .map((row) => `${row.join(': ')}\n`)
        .join(''),
    data: () => ({
      name,
      chart: chart.metadata?.name ?? '',
      version: chart.metadata?.version ?? '',
      appVersion: chart.metadata?.appVersion ?? '',
      annotations: mapOrNothing(annotations),
      labels: mapOrNothing(labels),
      dependencies: dependencies.length === 0 ? undefined : dependencies.map(dependencyFields),
      namespace,
      revision: version,
      status: info.status,
      deployedAt,
      applyMethod: method === '' ? undefined : method,
    }),
  };
}

function dependencyFields(dependency: z.output<typeof dependencySchema>): Fields {
  const { condition, tags, enabled, alias } = dependency;
  const importValues = dependency['import-values'];
  return {
    name: dependency.name,
    version: dependency.version === '' ? undefined : dependency.version,
    repository: dependency.repository,
    condition: condition === '' ? undefined : condition,
    tags: tags.length === 0 ? undefined : tags,
    enabled: enabled ? true : undefined,
    'import-values': importValues.length === 0 ? undefined : valueOfPlain(importValues),
    alias: alias === '' ? undefined : alias,
  };
}

function mapOrNothing(map: Readonly<Record<string, string>>) {
  return Object.keys(map).length === 0 ? undefined : valueMapOfPlain(map);
}

/** Formats labels as Kubernetes does: sorted, `a=1,b=2`. */
function pairs(map: Readonly<Record<string, string>>): string {
  return Object.entries(map)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',');
}

function applyMethodText(method: string): string {
  switch (method) {
    case '':
      return 'client-side apply (defaulted)';
    case 'csa':
      return 'client-side apply';
    case 'ssa':
      return 'server-side apply';
    default:
      return `unknown (${quote(method)})`;
  }
}
