import type { KubeObject } from '../objects/object.ts';
import { conditionOf, numberAt } from './fields.ts';
import { current, inProgress, type Readiness } from './status.ts';

export function replicaSetReadiness(object: KubeObject): Readiness {
  if (conditionOf(object, 'ReplicaFailure', 'True')) return inProgress('Replica Failure condition. Check Pods');
  const wanted = numberAt(object, 'spec', 'replicas') ?? 1;
  const replicas = numberAt(object, 'status', 'replicas') ?? 0;
  const counts = [
    ['Labelled', 'fullyLabeledReplicas'],
    ['Available', 'availableReplicas'],
    ['Ready', 'readyReplicas'],
  ] as const;
  for (const [label, field] of counts) {
    const count = numberAt(object, 'status', field) ?? 0;
    if (wanted > count) return inProgress(`${label}: ${count}/${wanted}`);
  }
  if (replicas > wanted) return inProgress(`Pending termination: ${replicas - wanted}`);
  return current(`ReplicaSet is available. Replicas: ${replicas}`);
}
