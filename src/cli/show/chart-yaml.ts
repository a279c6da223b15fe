import type { ChartDependency, ChartMetadata } from '../../chart/metadata/metadata.ts';
import type { Value, ValueMap } from '../../go/value.ts';
import { writeYaml } from '../../yaml/write.ts';

/**
 * Returns the metadata of a chart, with the dependencies of its requirements.yaml, as Helm writes
 * it in YAML: keys sorted, empty fields left out.
 */
export function chartYaml({ maintainers, dependencies, annotations, ...plain }: ChartMetadata): string {
  return writeYaml(
    filled({
      ...plain,
      maintainers: maintainers?.map((maintainer) => filled({ ...maintainer })),
      dependencies: dependencies?.map(dependencyMap),
      annotations: annotations && filled(annotations, () => true),
    }),
  );
}

function dependencyMap({ name, repository, importValues, ...plain }: ChartDependency): ValueMap {
  return new Map([
    ...filled({ ...plain, 'import-values': importValues }),
    ['name', name] as const,
    ['repository', repository] as const,
  ]);
}

/** The fields that Go's `omitempty` keeps. */
function filled(fields: Readonly<Record<string, Value | undefined>>, keeps = isFilled): ValueMap {
  const entries = Object.entries(fields).filter((entry): entry is [string, Value] => {
    const [, value] = entry;
    return value !== undefined && keeps(value);
  });
  return new Map(entries);
}

function isFilled(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Map) return value.size > 0;
  return value !== '' && value !== false;
}
