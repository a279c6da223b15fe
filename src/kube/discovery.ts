import { groupVersionPath } from '../objects/api-path.ts';
import { groupOf } from '../objects/group-kind.ts';
import { InvalidNameError } from '../objects/invalid-name-error.ts';
import type { ResourceKind } from '../objects/object.ts';
import {
  type DiscoveredGroups,
  isAggregated,
  readAggregated,
  readResourceList,
  type ResourceListDocument,
} from './discovery-documents.ts';
import { isKubeError, KubeError } from './kube-error.ts';
import { type SharedDocuments, sharedDocuments } from './shared-documents.ts';
import type { Transport } from './transport.ts';

/** Cache of the kinds that the server serves. It is read again when a kind is not in it. */
export interface Discovery {
  /** Returns a kind. Reads nothing for the kinds that every server has. */
  find(apiVersion: string, kind: string, signal?: AbortSignal): Promise<ResourceKind>;
  /**
   * Reads all kinds again, and returns a kind that was served before. Rejects with `not_found` if
   * no version of it is served any more: its objects are gone, too.
   */
  findAgain(apiVersion: string, kind: string, signal?: AbortSignal): Promise<ResourceKind>;
  /**
   * Reads all kinds again, and returns the first version of a group that has the kind. Servers list
   * the version that they prefer first.
   */
  findServed(group: string, kind: string, signal?: AbortSignal): Promise<ResourceKind | undefined>;
  /**
   * Asks for what has changed since the last time. Returns the same object if nothing has: servers
   * give each document a version, and do not send one again that has not changed.
   */
  refresh(signal?: AbortSignal): Promise<DiscoveredGroups>;
}

/** The kinds that releases are stored in. Every server has them, so there is no need to ask. */
const knownKinds: ReadonlyMap<string, ResourceKind> = new Map(
  [
    { apiVersion: 'v1', kind: 'ConfigMap', resource: 'configmaps', namespaced: true },
    { apiVersion: 'v1', kind: 'Secret', resource: 'secrets', namespaced: true },
  ].map((known) => [kindKey(known.apiVersion, known.kind), known]),
);

const aggregatedForms = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

/** A document at `/api` or `/apis` as it was last read. */
interface KnownRoot {
  groups: DiscoveredGroups;
}

interface KnownKinds {
  core: KnownRoot;
  named: KnownRoot;
  groups: DiscoveredGroups;
  kinds: ReadonlyMap<string, ResourceKind>;
}

/** `documents` are shared by the users of the server. Default: it has one user. */
export function createDiscovery(transport: Transport, documents = sharedDocuments()): Discovery {
  let known: KnownKinds | undefined;
  /** Keys of kinds that {@link Discovery.findAgain} was asked for. */
  const servedBefore = new Set<string>();

  async function refresh(signal?: AbortSignal): Promise<KnownKinds> {
    const before = known;
    const [core, named] = await Promise.all([
      readRoot(transport, documents, '/api', signal),
      readRoot(transport, documents, '/apis', signal),
    ]);
    if (before !== undefined && core === before.core && named === before.named) return before;
    known = documents.derived([core, named], () => {
      const groups = merge([core.groups, named.groups]);
      return { core, named, groups, kinds: indexKinds(groups) };
    });
    return known;
  }

  async function findNow(apiVersion: string, kind: string, signal?: AbortSignal): Promise<ResourceKind> {
    const { groups, kinds } = await refresh(signal);
    const key = kindKey(apiVersion, kind);
    const found = kinds.get(key);
    if (found) return found;
    if (groups.unavailable.includes(apiVersion)) {
      throw unknownKinds(apiVersion);
    }
    const group = groupOf(apiVersion);
    const isServed =
      groups.unavailable.some((other) => groupOf(other) === group) || ofGroup(kinds, group, kind) !== undefined;
    const message = `no matches for kind "${kind}" in version "${apiVersion}"`;
    throw new KubeError(servedBefore.has(key) && !isServed ? 'not_found' : 'unknown_kind', message);
  }

  return {
    refresh: async (signal) => (await refresh(signal)).groups,
    async findServed(group, kind, signal) {
      const { groups, kinds } = await refresh(signal);
      const unavailable = groups.unavailable.find((apiVersion) => groupOf(apiVersion) === group);
      const found = ofGroup(kinds, group, kind);
      if (found === undefined && unavailable !== undefined) throw unknownKinds(unavailable);
      return found;
    },
    async find(apiVersion, kind, signal) {
      const key = kindKey(apiVersion, kind);
      return knownKinds.get(key) ?? known?.kinds.get(key) ?? (await findNow(apiVersion, kind, signal));
    },
    findAgain(apiVersion, kind, signal) {
      servedBefore.add(kindKey(apiVersion, kind));
      return findNow(apiVersion, kind, signal);
    },
  };
}

/** Returns the first version of a group that has a kind. */
function ofGroup(kinds: ReadonlyMap<string, ResourceKind>, group: string, kind: string): ResourceKind | undefined {
  return [...kinds.values()].find((served) => served.kind === kind && groupOf(served.apiVersion) === group);
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

async function readRoot(
  transport: Transport,
  documents: SharedDocuments,
  path: '/api' | '/apis',
  signal?: AbortSignal,
): Promise<KnownRoot> {
  const known = documents.find(path);
  const request = { method: 'GET', path, accept: aggregatedForms, signal } as const;
  const answer = await transport.versioned({ ...request, etag: known?.etag });
  if (answer === 'unchanged') {
    return known === undefined ? readRoot(transport, documents, path, signal) : (known.content as KnownRoot); // as below
  }
  const { document, etag } = answer;
  if (isAggregated(document)) {
    const root: KnownRoot = { groups: readAggregated(document) };
    if (etag !== undefined) documents.keep(path, { etag, content: root });
    return root;
  }
  const groupVersions = path === '/api' ? coreVersions(document) : groupVersionsOf(document);
  const groups = merge(await Promise.all(groupVersions.map((version) => readGroupVersion(transport, version, signal))));
  return { groups }; // its version does not cover the documents of the groups
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
    if (!isKubeError(error, 'server_error') && !(error instanceof InvalidNameError)) throw error;
    return { groupVersions: [groupVersion], kinds: [], unavailable: [groupVersion] };
  }
}
