import { groupVersionPath } from '../objects/api-path.ts';
import { groupOf } from '../objects/group-kind.ts';
import { InvalidNameError } from '../objects/invalid-name-error.ts';
import type { ResourceKind } from '../objects/object.ts';
import {
  isAggregated,
  readAggregated,
  readResourceList,
  type DiscoveredGroups,
  type ResourceListDocument,
} from './discovery-documents.ts';
import { isKubeError, KubeError } from './kube-error.ts';
import type { Transport } from './transport.ts';

/** Cache of the kinds that the server serves. It is read again when a kind is not in it. */
export interface Discovery {
  find(apiVersion: string, kind: string, signal?: AbortSignal): Promise<ResourceKind>;
  /**
   * Reads all kinds again, and returns the first version of a group that has the kind. Servers list
   * the version that they prefer first.
   */
  findServed(group: string, kind: string, signal?: AbortSignal): Promise<ResourceKind | undefined>;
  /** Reads all kinds again. */
  refresh(signal?: AbortSignal): Promise<DiscoveredGroups>;
}

const aggregatedForms = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

export function createDiscovery(transport: Transport): Discovery {
  let known: { groups: DiscoveredGroups; kinds: Map<string, ResourceKind> } | undefined;

  const refresh = async (signal?: AbortSignal): Promise<DiscoveredGroups> => {
    const groups = merge(
      await Promise.all([readRoot(transport, '/api', signal), readRoot(transport, '/apis', signal)]),
    );
    known = { groups, kinds: indexKinds(groups) };
    return groups;
  };

  return {
    refresh,
    async findServed(group, kind, signal) {
      const groups = await refresh(signal);
      const unavailable = groups.unavailable.find((apiVersion) => groupOf(apiVersion) === group);
      const found = [...(known?.kinds.values() ?? [])].find(
        (served) => served.kind === kind && groupOf(served.apiVersion) === group,
      );
      if (found === undefined && unavailable !== undefined) throw unknownKinds(unavailable);
      return found;
    },
    async find(apiVersion, kind, signal) {
      const key = kindKey(apiVersion, kind);
      const cached = known?.kinds.get(key);
      if (cached) return cached;
      const groups = await refresh(signal);
      const found = known?.kinds.get(key);
      if (found) return found;
      if (groups.unavailable.includes(apiVersion)) {
        throw unknownKinds(apiVersion);
      }
      throw new KubeError('unknown_kind', `no matches for kind "${kind}" in version "${apiVersion}"`);
    },
  };
}

function unknownKinds(apiVersion: string): KubeError {
  return new KubeError(
    'server_error',
    `the kinds of ${apiVersion} are unknown: the API server of that group does not respond`,
  );
}

function kindKey(apiVersion: string, kind: string): string {
  return JSON.stringify([apiVersion, kind]);
}

function indexKinds(groups: DiscoveredGroups): Map<string, ResourceKind> {
  const kinds = new Map<string, ResourceKind>();
  for (const { apiVersion, kind, resource, namespaced, subresource } of groups.kinds) {
    const key = kindKey(apiVersion, kind);
    if (subresource === undefined && !kinds.has(key)) kinds.set(key, { apiVersion, kind, resource, namespaced });
  }
  return kinds;
}

function merge(parts: DiscoveredGroups[]): DiscoveredGroups {
  return {
    groupVersions: parts.flatMap((part) => part.groupVersions),
    kinds: parts.flatMap((part) => part.kinds),
    unavailable: parts.flatMap((part) => part.unavailable),
  };
}

async function readRoot(transport: Transport, root: '/api' | '/apis', signal?: AbortSignal): Promise<DiscoveredGroups> {
  const document = await transport.json({ method: 'GET', path: root, accept: aggregatedForms, signal });
  if (isAggregated(document)) return readAggregated(document);
  const groupVersions = root === '/api' ? coreVersions(document) : groupVersionsOf(document);
  return merge(await Promise.all(groupVersions.map((version) => readGroupVersion(transport, version, signal))));
}

/** `APIVersions`: the older form of `/api`. */
function coreVersions(document: unknown): string[] {
  return (document as { versions?: string[] }).versions ?? []; // defined by the API
}

/** `APIGroupList`: the older form of `/apis`. */
function groupVersionsOf(document: unknown): string[] {
  const { groups = [] } = document as { groups?: { versions: { groupVersion: string }[] }[] }; // defined by the API
  return groups.flatMap((group) => group.versions.map((version) => version.groupVersion));
}

async function readGroupVersion(
  transport: Transport,
  groupVersion: string,
  signal?: AbortSignal,
): Promise<DiscoveredGroups> {
  try {
    const document = await transport.json({ method: 'GET', path: groupVersionPath(groupVersion), signal });
    const kinds = readResourceList(document as ResourceListDocument); // defined by the API
    return { groupVersions: [groupVersion], kinds, unavailable: [] };
  } catch (error) {
    // as in client-go, one API service that is down does not hide the other groups
    if (!isKubeError(error, 'server_error', 'not_found') && !(error instanceof InvalidNameError)) throw error;
    return { groupVersions: [groupVersion], kinds: [], unavailable: [groupVersion] };
  }
}
