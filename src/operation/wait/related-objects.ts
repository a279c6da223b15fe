import type { Cluster, ObjectQuery } from '../../objects/cluster.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { isJsonObject, objectAt } from '../../objects/fields.ts';
import { groupKind } from '../../objects/group-kind.ts';
import { type LabelRequirement, labelRequirements } from '../../objects/label-selector.ts';
import type { KubeObject } from '../../objects/object.ts';
import { isWebhookKind, type RelatedObjects, requiredServices } from '../../readiness/index.ts';
import type { TrackedObjects } from '../tracker/object-cache.ts';
import type { WatchGroup } from './watches.ts';

/** ReplicaSets, pods and events of workloads, which show why one is not ready. */
interface RelatedObjectsWatch {
  /** Returns those of a workload. The first call in a namespace starts their watches. */
  of: (workload: KubeObject) => RelatedObjects;
  /** Returns a number that grows with each change of the related objects in a namespace. */
  version: (namespace: string | undefined) => number;
  /** Whether every watch has listed or was refused. */
  areListed: () => boolean;
}

const kinds = {
  replicaSets: { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
  pods: { apiVersion: 'v1', kind: 'Pod' },
  events: { apiVersion: 'v1', kind: 'Event' },
  endpointSlices: { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' },
};

/**
 * Calls `report` once for each kind that the API server refuses to watch. The reasons are less
 * precise then, but the wait continues.
 */
export function watchRelatedObjects(watches: WatchGroup, report: (message: string) => void): RelatedObjectsWatch {
  /** By the namespace of the workloads, and the query. */
  const started = new Map<string, Map<string, TrackedObjects>>();
  const refused = new Set<string>();

  function watchOf(name: keyof typeof kinds, namespace: string, user: string): TrackedObjects {
    const ofUser = started.get(user) ?? new Map<string, TrackedObjects>();
    started.set(user, ofUser);
    const query: ObjectQuery = { ...kinds[name], namespace };
    const key = `${name} ${namespace}`;
    const objects = ofUser.get(key) ?? watches.watch(query);
    ofUser.set(key, objects);
    if (objects.refusal && !refused.has(name)) {
      refused.add(name);
      report(`reasons may be missing: ${objects.refusal.message}`);
    }
    return objects;
  }

  function aroundWebhooks(configuration: KubeObject): RelatedObjects {
    const namespaces = new Set(requiredServices(configuration).map(({ namespace }) => namespace));
    const endpointSlices = [...namespaces].flatMap((namespace) => [...watchOf('endpointSlices', namespace, '').all()]);
    return { ...nothing, endpointSlices };
  }

  function around(workload: KubeObject, namespace: string): RelatedObjects {
    const relatedTo = (name: keyof typeof kinds, owners: readonly KubeObject[]): KubeObject[] => {
      const objects = watchOf(name, namespace, namespace);
      return owners.flatMap(({ metadata }) => [...objects.relatedTo(metadata.uid)]);
    };
    const replicaSets = workload.kind === 'Deployment' ? relatedTo('replicaSets', [workload]) : [];
    const pods = podOwners.has(workload.kind) ? relatedTo('pods', [workload, ...replicaSets]) : [];
    return { replicaSets, pods, events: relatedTo('events', [workload, ...replicaSets, ...pods]) };
  }

  return {
    of(workload) {
      if (isWebhookKind(groupKind(workload))) return aroundWebhooks(workload);
      const { namespace } = workload.metadata;
      return namespace === undefined ? nothing : around(workload, namespace);
    },
    version(namespace = '') {
      let sum = 0;
      for (const { changes } of started.get(namespace)?.values() ?? []) sum += changes;
      return sum;
    },
    areListed: () =>
      [...started.values()]
        .flatMap((ofUser) => [...ofUser.values()])
        .every(({ isListed, refusal }) => isListed || refusal !== undefined),
  };
}

/** Kinds whose own events give reasons. */
const withOwnEvents: ReadonlySet<string> = new Set(['Pod', 'PersistentVolumeClaim']);

const nothing: RelatedObjects = { replicaSets: [], pods: [], events: [] };

/**
 * Lists the ReplicaSets, pods and events of a workload, which show why it is not ready. Leaves
 * out kinds that the agent is not allowed to list.
 */
export async function listRelatedObjects(
  cluster: Cluster,
  workload: KubeObject,
  signal: AbortSignal,
): Promise<RelatedObjects> {
  const listed = (query: ObjectQuery) => listAllowed(cluster, query, signal);
  if (isWebhookKind(groupKind(workload))) {
    const namespaces = [...new Set(requiredServices(workload).map(({ namespace }) => namespace))];
    const slices = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' };
    const lists = await Promise.all(namespaces.map((namespace) => listed({ ...slices, namespace })));
    return { ...nothing, endpointSlices: lists.flat() };
  }
  const { namespace } = workload.metadata;
  const isOwner = podOwners.has(workload.kind);
  if (namespace === undefined || (!isOwner && !withOwnEvents.has(workload.kind))) return nothing;
  const labelSelector = isOwner ? podSelector(workload) : '';
  const hasSelector = labelSelector !== '';
  const [replicaSets, pods, events] = await Promise.all([
    hasSelector && workload.kind === 'Deployment'
      ? listed({ apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace, labelSelector })
      : [],
    hasSelector ? listed({ apiVersion: 'v1', kind: 'Pod', namespace, labelSelector }) : [],
    listed({ apiVersion: 'v1', kind: 'Event', namespace }),
  ]);
  return { replicaSets, pods, events };
}

async function listAllowed(cluster: Cluster, query: ObjectQuery, signal: AbortSignal): Promise<KubeObject[]> {
  try {
    return await cluster.list(query, signal);
  } catch (error) {
    if (hasClusterErrorCode(error, 'forbidden')) return [];
    throw error;
  }
}

/** Kinds with a selector for the pods that they own, directly or through ReplicaSets. */
const podOwners: ReadonlySet<string> = new Set([
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'ReplicationController',
  'Job',
]);

/** Returns the selector of a workload's pods in the API's form. Empty if it has none. */
function podSelector({ kind, spec }: KubeObject): string {
  const selector = isJsonObject(spec) ? objectAt(spec, 'selector') : {};
  const labelSelector =
    kind === 'ReplicationController' ? { matchLabels: selector as Record<string, string> } : selector; // as the API defines it
  return labelRequirements(labelSelector).map(requirementText).join(',');
}

function requirementText({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'In':
      return `${key} in (${values.join(',')})`;
    case 'NotIn':
      return `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'Gt':
    case 'Lt':
      return `${key}${operator === 'Gt' ? '>' : '<'}${values.join('')}`;
  }
}
