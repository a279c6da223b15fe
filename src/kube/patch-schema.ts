import { groupVersionPath } from '../objects/api-path.ts';
import { groupOf, versionOf } from '../objects/group-kind.ts';
import { type FieldMerge, type PatchSchema, plainField, plainSchema } from '../objects/patch/patch-schema.ts';
import { sharedDocuments } from './shared-documents.ts';
import type { Transport } from './transport.ts';

/** The parts of an OpenAPI v3 document that this reads. */
interface OpenApiDocument {
  components?: { schemas?: Record<string, OpenApiSchema> };
}

interface OpenApiSchema {
  $ref?: string;
  allOf?: OpenApiSchema[];
  properties?: Record<string, OpenApiSchema>;
  items?: OpenApiSchema;
  additionalProperties?: OpenApiSchema | boolean;
  'x-kubernetes-patch-strategy'?: string;
  'x-kubernetes-patch-merge-key'?: string;
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
}

/**
 * The groups whose kinds have types in client-go, to which Helm sends strategic merge patches
 * (pkg/kube/converter.go). All other kinds get JSON merge patches.
 */
const typedGroups: ReadonlySet<string> = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apps',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'extensions',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

/** Finds out how the fields of kinds merge. */
export interface PatchSchemas {
  /** Returns undefined for a kind without strategic merge patches. */
  find(apiVersion: string, kind: string, signal?: AbortSignal): Promise<PatchSchema | undefined>;
}

/**
 * Reads the schemas from the server's OpenAPI documents: one request for each group version, when
 * it is needed first. `documents` are shared by the users of the server. Default: it has one user.
 */
export function createPatchSchemas(transport: Transport, documents = sharedDocuments()): PatchSchemas {
  const known = new Map<string, ReadonlyMap<string, PatchSchema>>();
  return {
    async find(apiVersion, kind, signal) {
      if (!typedGroups.has(groupOf(apiVersion))) return undefined;
      let kinds = known.get(apiVersion);
      if (kinds === undefined) {
        const path = `/openapi/v3${groupVersionPath(apiVersion)}`;
        const shared = documents.find(path);
        const answer = await transport.versioned({ method: 'GET', path, etag: shared?.etag, signal });
        if (answer === 'unchanged')
          kinds = shared?.content as ReadonlyMap<string, PatchSchema>; // as kept below
        else {
          kinds = readKinds(answer.document as OpenApiDocument, apiVersion); // defined by the API
          if (answer.etag !== undefined) documents.keep(path, { etag: answer.etag, content: kinds });
        }
        known.set(apiVersion, kinds);
      }
      return kinds.get(kind);
    },
  };
}

function readKinds({ components }: OpenApiDocument, apiVersion: string): ReadonlyMap<string, PatchSchema> {
  const schemas = new Map(Object.entries(components?.schemas ?? {}));
  const definitions = new Map<string, PatchSchema>();
  for (const [name, schema] of schemas) definitions.set(name, schemaOf(schema, definitions));
  const kinds = new Map<string, PatchSchema>();
  for (const [name, schema] of schemas) {
    const found = (schema['x-kubernetes-group-version-kind'] ?? []).find(
      ({ group, version }) => group === groupOf(apiVersion) && version === versionOf(apiVersion),
    );
    const definition = definitions.get(name);
    if (found && definition) kinds.set(found.kind, definition);
  }
  return kinds;
}

type Definitions = ReadonlyMap<string, PatchSchema>;

/** Returns the schema of an object. Keeps only fields that do not merge in the default way. */
function schemaOf({ properties = {}, additionalProperties }: OpenApiSchema, definitions: Definitions): PatchSchema {
  const fields = new Map<string, FieldMerge>();
  for (const [name, property] of Object.entries(properties)) {
    const field = fieldOf(property, definitions);
    if (field !== plainField) fields.set(name, field);
  }
  const others = typeof additionalProperties === 'object' ? fieldOf(additionalProperties, definitions) : plainField;
  if (fields.size === 0 && others === plainField) return plainSchema;
  return { field: (name) => fields.get(name) ?? others };
}

function fieldOf(property: OpenApiSchema, definitions: Definitions): FieldMerge {
  const strategies = property['x-kubernetes-patch-strategy']?.split(',') ?? [];
  const schema = valueSchema(property.items ?? property, definitions);
  if (strategies.length === 0 && schema === plainSchema) return plainField;
  return {
    strategy: strategies.includes('merge') ? 'merge' : strategies.includes('replace') ? 'replace' : undefined,
    mergeKey: property['x-kubernetes-patch-merge-key'],
    retainKeys: strategies.includes('retainKeys'),
    schema,
  };
}

/** Returns the schema of a value. A reference is resolved when it is used: schemas form cycles. */
function valueSchema(schema: OpenApiSchema, definitions: Definitions): PatchSchema {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference === undefined) return schemaOf(schema, definitions);
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  return { field: (field) => (definitions.get(name) ?? plainSchema).field(field) };
}
