/** The verbs of a kind whose objects are stored. */
export const allVerbs: readonly string[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

/** A kind that the API serves. */
export interface ResourceType {
  group: string;
  version: string;
  kind: string;
  plural: string;
  singular: string;
  shortNames: readonly string[];
  categories: readonly string[];
  namespaced: boolean;
  /** Verbs of requests: {@link allVerbs}, or only `create`. */
  verbs: readonly string[];
  /**
   * Subresources, such as `status`, `scale` and `log`. If there is `status`, a write to the object
   * itself does not change the status.
   */
  subresources: readonly string[];
  /** Whether the API maintains `metadata.generation`. */
  hasGeneration: boolean;
  /** Whether the kind is defined by a CustomResourceDefinition. */
  custom: boolean;
  /** OpenAPI schema of a custom resource. */
  schema?: OpenApiSchema;
}

/** The parts of a CRD's schema that define how lists and maps merge. */
export interface OpenApiSchema {
  properties?: Record<string, OpenApiSchema>;
  items?: OpenApiSchema;
  additionalProperties?: OpenApiSchema | boolean;
  'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: 'atomic' | 'granular';
}

/** Returns `apps/v1` for example, or `v1` for the core group. */
export function apiVersionOf(type: { group: string; version: string }): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** Returns the collection that stores the objects of a resource, in all its versions. */
export function collectionOf(type: { group: string; plural: string }): string {
  return `${type.group}/${type.plural}`;
}
