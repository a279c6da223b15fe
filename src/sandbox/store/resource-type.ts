/** A kind as the sandbox serves it. */
export interface ResourceType {
  group: string;
  version: string;
  kind: string;
  plural: string;
  singular: string;
  shortNames: readonly string[];
  categories: readonly string[];
  namespaced: boolean;
  /** `status`, `scale`, `log`, …: which of them exist. With `status`, an ordinary write leaves the status alone. */
  subresources: readonly string[];
  /** Whether the API counts `metadata.generation` for it. */
  counted: boolean;
  /** Defined by a CustomResourceDefinition. */
  custom: boolean;
  /** The OpenAPI schema of a custom resource. */
  schema?: OpenApiSchema;
}

/** What the sandbox reads of a CRD's schema: how lists merge. */
export interface OpenApiSchema {
  properties?: Record<string, OpenApiSchema>;
  items?: OpenApiSchema;
  additionalProperties?: OpenApiSchema | boolean;
  'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: 'atomic' | 'granular';
}

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf(type: { group: string; version: string }): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** Where objects of the type are kept: all versions of a resource are one collection. */
export function collectionOf(type: { group: string; plural: string }): string {
  return `${type.group}/${type.plural}`;
}
