import type { Chart } from '../../chart/chart.ts';
import { NamedMap, type Value, type ValueMap } from '../../go/value.ts';

type Metadata = Chart['metadata'];
type Dependency = NonNullable<Metadata['dependencies']>[number];

/**
 * Returns the value of `.Chart` as in Helm 4: a map with the names of Go's struct fields, every
 * field present, slices as lists of any (pkg/chart/common.go: structToMap).
 */
export function chartObject(chart: Chart, isRoot: boolean): ValueMap {
  const metadata = chart.metadata;
  return new Map<string, Value>([
    ['Name', metadata.name],
    ['Home', metadata.home ?? ''],
    ['Sources', [...(metadata.sources ?? [])]],
    ['Version', metadata.version],
    ['Description', metadata.description ?? ''],
    ['Keywords', [...(metadata.keywords ?? [])]],
    ['Maintainers', (metadata.maintainers ?? []).map(maintainerObject)],
    ['Icon', metadata.icon ?? ''],
    ['APIVersion', metadata.apiVersion],
    ['Condition', metadata.condition ?? ''],
    ['Tags', metadata.tags ?? ''],
    ['AppVersion', metadata.appVersion ?? ''],
    ['Deprecated', metadata.deprecated ?? false],
    [
      'Annotations',
      new NamedMap('map[string]string', metadata.annotations ? Object.entries(metadata.annotations) : null),
    ],
    ['KubeVersion', metadata.kubeVersion ?? ''],
    ['Dependencies', (metadata.dependencies ?? []).map(dependencyObject)],
    ['Type', metadata.type ?? ''],
    ['IsRoot', isRoot],
  ]);
}

function maintainerObject(maintainer: NonNullable<Metadata['maintainers']>[number]): ValueMap {
  return new Map<string, Value>([
    ['Name', maintainer.name ?? ''],
    ['Email', maintainer.email ?? ''],
    ['URL', maintainer.url ?? ''],
  ]);
}

function dependencyObject(dependency: Dependency): ValueMap {
  return new Map<string, Value>([
    ['Name', dependency.name],
    ['Version', dependency.version ?? ''],
    ['Repository', dependency.repository],
    ['Condition', dependency.condition ?? ''],
    ['Tags', [...(dependency.tags ?? [])]],
    ['Enabled', dependency.enabled ?? false],
    ['ImportValues', [...(dependency.importValues ?? [])]],
    ['Alias', dependency.alias ?? ''],
  ]);
}
