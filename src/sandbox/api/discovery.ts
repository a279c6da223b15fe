import { apiVersionOf, type ResourceType } from '../store/resource-type.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const verbsOfSubresource: Record<string, string[]> = { log: ['get'] };

/** The kind that a subresource speaks: `scale` has one of its own. */
function subresourceKind(type: ResourceType, subresource: string): { group: string; version: string; kind: string } {
  if (subresource === 'scale') return { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  return { group: type.group, version: type.version, kind: type.kind };
}

/** `/api` in the older form. */
export function apiVersions(): unknown {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
}

/** `/apis` in the older form. */
export function apiGroupList(types: readonly ResourceType[]): unknown {
  const groups = groupNames(types).map((name) => apiGroup(types, name));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** `/apis/GROUP`, or undefined where there is no such group. */
export function apiGroup(types: readonly ResourceType[], name: string): unknown {
  const versions = versionsOf(types, name).map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return versions.length === 0
    ? undefined
    : { kind: 'APIGroup', apiVersion: 'v1', name, versions, preferredVersion: versions[0] };
}

/** `/api/v1` or `/apis/GROUP/VERSION`, or undefined where there is no such version. */
export function apiResourceList(types: readonly ResourceType[], apiVersion: string): unknown {
  const served = types.filter((type) => apiVersionOf(type) === apiVersion);
  if (served.length === 0) return undefined;
  const resources = served.flatMap((type) => [
    {
      name: type.plural,
      singularName: type.singular,
      namespaced: type.namespaced,
      kind: type.kind,
      verbs,
      ...(type.shortNames.length > 0 && { shortNames: type.shortNames }),
      ...(type.categories.length > 0 && { categories: type.categories }),
    },
    ...type.subresources.map((subresource) => ({
      name: `${type.plural}/${subresource}`,
      singularName: '',
      namespaced: type.namespaced,
      ...(subresource === 'scale' && { group: 'autoscaling', version: 'v1' }),
      kind: subresourceKind(type, subresource).kind,
      verbs: verbsOfSubresource[subresource] ?? ['get', 'patch', 'update'],
    })),
  ]);
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersion, resources };
}

/** `/api` or `/apis` in the form that has everything in one document. */
export function aggregatedDiscovery(types: readonly ResourceType[], groups: readonly string[]): unknown {
  const items = groups.map((name) => ({
    metadata: { ...(name !== '' && { name }), creationTimestamp: null },
    versions: versionsOf(types, name).map((version) => ({
      version,
      resources: types.filter((type) => type.group === name && type.version === version).map(aggregatedResource),
      freshness: 'Current',
    })),
  }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function aggregatedResource(type: ResourceType): unknown {
  const subresources = type.subresources.map((subresource) => ({
    subresource,
    responseKind: subresourceKind(type, subresource),
    verbs: verbsOfSubresource[subresource] ?? ['get', 'patch', 'update'],
  }));
  return {
    resource: type.plural,
    responseKind: { group: type.group, version: type.version, kind: type.kind },
    scope: type.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: type.singular,
    verbs,
    ...(type.shortNames.length > 0 && { shortNames: type.shortNames }),
    ...(type.categories.length > 0 && { categories: type.categories }),
    ...(subresources.length > 0 && { subresources }),
  };
}

/** All groups but the core group, in the order in which the API server lists them first to last here: built-in, then custom. */
export function groupNames(types: readonly ResourceType[]): string[] {
  return [...new Set(types.map((type) => type.group))].filter((name) => name !== '');
}

function versionsOf(types: readonly ResourceType[], group: string): string[] {
  return [...new Set(types.filter((type) => type.group === group).map((type) => type.version))];
}
