import type { KubeObject } from '../../objects/object.ts';
import type { OpenApiSchema, ResourceType } from './resource-type.ts';

/** The parts of a CustomResourceDefinition that say what it adds. */
export interface DefinitionSpec {
  group: string;
  names: { kind: string; plural: string; singular?: string; shortNames?: string[]; categories?: string[] };
  scope: 'Namespaced' | 'Cluster';
  versions: {
    name: string;
    served: boolean;
    storage: boolean;
    schema?: { openAPIV3Schema?: OpenApiSchema };
    subresources?: Record<string, unknown>;
  }[];
}

/** The kinds that a CustomResourceDefinition serves; none until it is established. */
export function customResourceTypes(definition: KubeObject): ResourceType[] {
  if (!isEstablished(definition)) return [];
  const { group, names, scope, versions } = definition['spec'] as DefinitionSpec; // validated when it was written
  return versions
    .filter((version) => version.served)
    .map((version) => ({
      group,
      version: version.name,
      kind: names.kind,
      plural: names.plural,
      singular: names.singular ?? names.kind.toLowerCase(),
      shortNames: names.shortNames ?? [],
      categories: names.categories ?? [],
      namespaced: scope === 'Namespaced',
      subresources: Object.keys(version.subresources ?? {}),
      counted: true,
      custom: true,
      ...(version.schema?.openAPIV3Schema && { schema: version.schema.openAPIV3Schema }),
    }));
}

function isEstablished(definition: KubeObject): boolean {
  const status = definition['status'] as { conditions?: { type: string; status: string }[] | null } | undefined; // written by the sandbox
  return status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
}
