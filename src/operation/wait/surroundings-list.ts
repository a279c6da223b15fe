import type { Cluster, ObjectQuery } from '../../objects/cluster.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { groupKind } from '../../objects/group-kind.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { Surroundings } from '../../readiness/surroundings.ts';
import { isWebhookKind, requiredServices } from '../../readiness/webhooks.ts';
import { podOwners, podSelector } from './pod-selector.ts';

/** Kinds whose own events give reasons. */
const withOwnEvents: ReadonlySet<string> = new Set(['Pod', 'PersistentVolumeClaim']);

const nothing: Surroundings = { replicaSets: [], pods: [], events: [] };

/**
 * Lists the ReplicaSets, pods and events of a workload, which show why it is not ready. Leaves
 * out kinds that the agent is not allowed to list.
 */
export async function listSurroundings(
  cluster: Cluster,
  workload: KubeObject,
  signal: AbortSignal,
): Promise<Surroundings> {
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
