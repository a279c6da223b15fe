import { mergedLists } from '../apply/list-keys.ts';
import { kubernetesVersion } from '../store/builtin-resources.ts';
import { apiVersionOf, type ResourceType } from '../store/resource-type.ts';

const root = '/openapi/v3';

/**
 * Returns the document at `/openapi/v3`, or that of a group version. It has the
 * `fieldValidation` parameters that kubectl and helm look for to see if the server validates
 * fields, and schemas that say only how lists merge in a strategic merge patch.
 */
export function openApiDocument(types: readonly ResourceType[], path: string): unknown {
  if (path === root)
    return {
      paths: Object.fromEntries(groupPaths(types).map((group) => [group, { serverRelativeURL: `${root}/${group}` }])),
    };
  if (!path.startsWith(`${root}/`)) return undefined;
  const served = types.filter((type) => groupPath(type) === path.slice(root.length + 1));
  if (served.length === 0) return undefined;
  const patched = served.filter(({ verbs }) => verbs.includes('patch'));
  const paths = Object.fromEntries(patched.map((type) => [objectPath(type), { patch: patchOperation(type) }]));
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: kubernetesVersion },
    paths,
    components: { schemas: schemasOf(served) },
  };
}

function groupPaths(types: readonly ResourceType[]): string[] {
  return [...new Set(types.map(groupPath))];
}

/** Returns a path such as `api/v1` or `apis/apps/v1`. */
function groupPath(type: ResourceType): string {
  return `${type.group === '' ? 'api' : 'apis'}/${apiVersionOf(type)}`;
}

function objectPath(type: ResourceType): string {
  return `/${groupPath(type)}${type.namespaced ? '/namespaces/{namespace}' : ''}/${type.plural}/{name}`;
}

function patchOperation({ group, version, kind }: ResourceType): unknown {
  const parameters = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map((name) => ({
    name,
    in: 'query',
    schema: { type: 'string', uniqueItems: true },
  }));
  return {
    parameters,
    responses: { 200: { description: 'OK' } },
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
}

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  [extension: `x-kubernetes-${string}`]: unknown;
}

/** Returns a schema for each built-in kind, with its lists that merge by a key. */
function schemasOf(types: readonly ResourceType[]): Record<string, Schema> {
  const builtin = types.filter(({ custom }) => !custom);
  return Object.fromEntries(
    builtin.map(({ group, version, kind }) => {
      const schema: Schema = { 'x-kubernetes-group-version-kind': [{ group, version, kind }] };
      propertyAt(schema, ['metadata', 'finalizers'])['x-kubernetes-patch-strategy'] = 'merge';
      for (const { path, mergeKey, retainKeys } of mergedLists(kind)) {
        const list = propertyAt(schema, path);
        list.items ??= {};
        list['x-kubernetes-patch-merge-key'] = mergeKey;
        list['x-kubernetes-patch-strategy'] = retainKeys ? 'merge,retainKeys' : 'merge';
      }
      return [`sandbox.${kind}`, schema];
    }),
  );
}

/** Returns the schema at a path, and creates it with its parents. */
function propertyAt(schema: Schema, path: readonly string[]): Schema {
  return path.reduce<Schema>((parent, name) => {
    const holder = parent.items ?? parent;
    holder.properties ??= {};
    return (holder.properties[name] ??= {});
  }, schema);
}
