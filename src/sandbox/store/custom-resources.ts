import type { KubeObject } from '../../objects/object.ts';
import { allVerbs, type OpenApiSchema, type ResourceType } from './resource-type.ts';

/** The fields of a CustomResourceDefinition's spec that the sandbox uses. */
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

/** Returns the kinds that a CustomResourceDefinition serves; none until it is established. */
export function customResourceTypes(definition: KubeObject): ResourceType[] {
  if (!isEstablished(definition)) return [];
  // Validated when it was written.
  const { group, names, scope, versions } = definition['spec'] as DefinitionSpec;
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
      verbs: allVerbs,
      subresources: Object.keys(version.subresources ?? {}),
      hasGeneration: true,
      custom: true,
      ...(version.schema?.openAPIV3Schema && { schema: version.schema.openAPIV3Schema }),
    }));
}

function isEstablished(definition: KubeObject): boolean {
  // Written by the sandbox.
  const status = definition['status'] as { conditions?: { type: string; status: string }[] | null } | undefined;
  return status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
}
