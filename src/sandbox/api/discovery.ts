import { apiVersionOf, type ResourceType } from '../store/resource-type.ts';

const verbsOfSubresource: Record<string, string[]> = { log: ['get'] };

/** Returns the kind of a subresource: `scale` has its own, the others have that of the resource. */
function subresourceKind(type: ResourceType, subresource: string): { group: string; version: string; kind: string } {
  if (subresource === 'scale') return { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  return { group: type.group, version: type.version, kind: type.kind };
}

/** Returns the document at `/api` in the format before aggregated discovery. */
export function apiVersions(): unknown {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
}

/** Returns the document at `/apis` in the format before aggregated discovery. */
export function apiGroupList(types: readonly ResourceType[]): unknown {
  const groups = groupNames(types).map((name) => apiGroup(types, name));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** Returns the document at `/apis/GROUP`, or undefined for an unknown group. */
export function apiGroup(types: readonly ResourceType[], name: string): unknown {
  const versions = versionsOf(types, name).map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return versions.length === 0
    ? undefined
    : { kind: 'APIGroup', apiVersion: 'v1', name, versions, preferredVersion: versions[0] };
}

/**
 * Returns the document at `/api/v1` or `/apis/GROUP/VERSION`, or undefined for an unknown version.
 */
export function apiResourceList(types: readonly ResourceType[], apiVersion: string): unknown {
  const served = types.filter((type) => apiVersionOf(type) === apiVersion);
  if (served.length === 0) return undefined;
  const resources = served.flatMap((type) => [
    {
      name: type.plural,
      singularName: type.singular,
      namespaced: type.namespaced,
      kind: type.kind,
      verbs: type.verbs,
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

/** Returns the document at `/api` or `/apis` in the aggregated format, with all resources. */
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
    verbs: type.verbs,
    ...(type.shortNames.length > 0 && { shortNames: type.shortNames }),
    ...(type.categories.length > 0 && { categories: type.categories }),
    ...(subresources.length > 0 && { subresources }),
  };
}

/**
 * Returns the names of all groups except the core group: first the built-in, then the custom ones.
 */
export function groupNames(types: readonly ResourceType[]): string[] {
  return [...new Set(types.map((type) => type.group))].filter((name) => name !== '');
}

function versionsOf(types: readonly ResourceType[], group: string): string[] {
  return [...new Set(types.filter((type) => type.group === group).map((type) => type.version))];
}
