import { integerAt } from '../objects/fields.ts';
import { groupKind } from '../objects/group-kind.ts';
import type { KubeObject } from '../objects/object.ts';

/** How far a workload is. */
export interface ReplicaCounts {
  /** Pods that it is to have, or completions of a Job. */
  wanted: number;
  /** Pods of the current revision. Undefined for kinds without revisions. */
  updated?: number;
  /** Pods that are ready, or completions of a Job. */
  ready: number;
}

/**
 * Returns the counts of a workload, or undefined for other kinds. None counts before the controller
 * has observed the newest spec, because its numbers are those of the one before.
 */
export function replicaCounts(object: KubeObject): ReplicaCounts | undefined {
  const { metadata, status } = object;
  const observed = integerAt(status, 'observedGeneration');
  const isObserved = observed === undefined || observed === metadata.generation;
  const count = (field: string) => (isObserved ? (integerAt(status, field) ?? 0) : 0);
  const replicas = integerAt(object, 'spec', 'replicas') ?? 1;
  switch (groupKind(object)) {
    case 'apps/Deployment':
    case 'apps/StatefulSet':
      return { wanted: replicas, updated: count('updatedReplicas'), ready: count('readyReplicas') };
    case 'apps/DaemonSet':
      return {
        wanted: count('desiredNumberScheduled'),
        updated: count('updatedNumberScheduled'),
        ready: count('numberReady'),
      };
    case 'apps/ReplicaSet':
    case 'ReplicationController':
      return { wanted: replicas, ready: count('readyReplicas') };
    case 'batch/Job':
      return { wanted: integerAt(object, 'spec', 'completions') ?? 1, ready: count('succeeded') };
    default:
      return undefined;
  }
}
