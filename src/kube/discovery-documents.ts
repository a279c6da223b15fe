import { stringAt } from '../objects/fields.ts';
import type { ResourceKind } from '../objects/object.ts';

/** Contents of a discovery document: group versions and their kinds, with those of subresources. */
export interface DiscoveredGroups {
  groupVersions: string[];
  kinds: DiscoveredKind[];
  /** Group versions whose kinds are unknown because their API server does not respond. */
  unavailable: string[];
}

export interface DiscoveredKind extends ResourceKind {
  /** `status`, `scale` and so on. Absent for the resource itself. */
  subresource?: string;
  /** Singular and short names of the resource. */
  aliases: readonly string[];
}

/** `APIGroupDiscoveryList`, the form with everything in one document. */
export interface AggregatedDiscovery {
  kind: 'APIGroupDiscoveryList';
  items?: {
    metadata?: { name?: string };
    versions?: {
      version: string;
      freshness?: string;
      resources?: {
        resource: string;
        scope?: string;
        responseKind?: { kind?: string };
        singularResource?: string;
        shortNames?: string[];
        subresources?: { subresource: string; responseKind?: { kind?: string } }[];
      }[];
    }[];
  }[];
}

/** `APIResourceList`, the older form with a document for each group version. */
export interface ResourceListDocument {
  groupVersion: string;
  resources?: { name: string; kind: string; namespaced: boolean; singularName?: string; shortNames?: string[] }[];
}

export function isAggregated(document: unknown): document is AggregatedDiscovery {
  return stringAt(document, 'kind') === 'APIGroupDiscoveryList';
}

export function readAggregated(document: AggregatedDiscovery): DiscoveredGroups {
  const found: DiscoveredGroups = { groupVersions: [], kinds: [], unavailable: [] };
  for (const group of document.items ?? []) {
    for (const version of group.versions ?? []) {
      const apiVersion = group.metadata?.name ? `${group.metadata.name}/${version.version}` : version.version;
      found.groupVersions.push(apiVersion);
      if (version.freshness === 'Stale') found.unavailable.push(apiVersion);
      else for (const resource of version.resources ?? []) found.kinds.push(...kindsOf(apiVersion, resource));
    }
  }
  return found;
}

type AggregatedResource = NonNullable<
  NonNullable<NonNullable<AggregatedDiscovery['items']>[number]['versions']>[number]['resources']
>[number];

function kindsOf(apiVersion: string, resource: AggregatedResource): DiscoveredKind[] {
  const namespaced = resource.scope === 'Namespaced';
  const aliases = aliasesOf(resource.singularResource, resource.shortNames);
  const common = { apiVersion, resource: resource.resource, namespaced, aliases };
  const kinds: DiscoveredKind[] = [];
  if (resource.responseKind?.kind) kinds.push({ ...common, kind: resource.responseKind.kind });
  for (const { subresource, responseKind } of resource.subresources ?? []) {
    if (responseKind?.kind) kinds.push({ ...common, kind: responseKind.kind, subresource });
  }
  return kinds;
}

export function readResourceList(document: ResourceListDocument): DiscoveredKind[] {
  return (document.resources ?? []).map(({ name, kind, namespaced, singularName, shortNames }) => {
    const slash = name.indexOf('/');
    const aliases = aliasesOf(singularName, shortNames);
    const common = { apiVersion: document.groupVersion, kind, namespaced, aliases };
    if (slash < 0) return { ...common, resource: name };
    return { ...common, resource: name.slice(0, slash), subresource: name.slice(slash + 1) };
  });
}

function aliasesOf(singular = '', shortNames: readonly string[] = []): string[] {
  return [singular, ...shortNames].filter((name) => name !== '');
}
