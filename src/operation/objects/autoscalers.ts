import type { Cluster } from '../../objects/cluster.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { fieldAt, stringAt } from '../../objects/fields.ts';
import { groupOf } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';

/** Most autoscalers of a namespace that are read. */
const maxAutoscalers = 5000;

/** Returns the autoscalers of a namespace; undefined if the agent may not list them. */
export async function autoscalersIn(
  cluster: Pick<Cluster, 'list'>,
  namespace: string,
  signal: AbortSignal,
): Promise<KubeObject[] | undefined> {
  const query = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace, most: maxAutoscalers };
  try {
    return await cluster.list(query, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (hasClusterErrorCode(error, 'unknown_kind')) return [];
    if (hasClusterErrorCode(error, 'forbidden')) return undefined;
    throw error;
  }
}

/** Whether an autoscaler sets the replicas of a workload. */
export function scales(autoscaler: KubeObject, { apiVersion, kind, name }: ObjectRef): boolean {
  const target = fieldAt(autoscaler, 'spec', 'scaleTargetRef');
  const group = groupOf(stringAt(target, 'apiVersion') ?? apiVersion);
  return stringAt(target, 'kind') === kind && stringAt(target, 'name') === name && group === groupOf(apiVersion);
}
