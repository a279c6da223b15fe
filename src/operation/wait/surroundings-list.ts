import type { Cluster } from '../../objects/cluster.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { Surroundings } from '../../readiness/surroundings.ts';
import { podOwners, podSelector } from './pod-selector.ts';

/**
 * Lists the ReplicaSets, pods and events of a workload, which show why it is not ready. Leaves
 * out kinds that the agent is not allowed to list.
 */
export async function listSurroundings(
  cluster: Cluster,
  workload: KubeObject,
  signal: AbortSignal,
): Promise<Surroundings> {
  const { namespace } = workload.metadata;
  const isOwner = podOwners.has(workload.kind);
  if (namespace === undefined || (!isOwner && workload.kind !== 'Pod'))
    return { replicaSets: [], pods: [], events: [] };
  const labelSelector = isOwner ? podSelector(workload) : '';

  async function listed(apiVersion: string, kind: string, selector: object): Promise<KubeObject[]> {
    try {
      return await cluster.list({ apiVersion, kind, namespace: namespace ?? '', ...selector }, signal);
    } catch (error) {
      if (hasClusterErrorCode(error, 'forbidden')) return [];
      throw error;
    }
  }

  const [replicaSets, pods, events] = await Promise.all([
    labelSelector !== '' && workload.kind === 'Deployment' ? listed('apps/v1', 'ReplicaSet', { labelSelector }) : [],
    labelSelector === '' ? [] : listed('v1', 'Pod', { labelSelector }),
    listed('v1', 'Event', {}),
  ]);
  return { replicaSets, pods, events };
}
