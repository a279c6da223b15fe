import { integerAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import { conditionOf } from './conditions.ts';
import { current, inProgress, type Readiness } from './status.ts';

export function replicaSetReadiness(object: KubeObject): Readiness {
  if (conditionOf(object, 'ReplicaFailure', 'True')) return inProgress('Replica Failure condition. Check Pods');
  const wanted = integerAt(object, 'spec', 'replicas') ?? 1;
  const replicas = integerAt(object, 'status', 'replicas') ?? 0;
  const counts = [
    ['Labelled', 'fullyLabeledReplicas'],
    ['Available', 'availableReplicas'],
    ['Ready', 'readyReplicas'],
  ] as const;
  for (const [label, field] of counts) {
    const count = integerAt(object, 'status', field) ?? 0;
    if (wanted > count) return inProgress(`${label}: ${count}/${wanted}`);
  }
  if (replicas > wanted) return inProgress(`Pending termination: ${replicas - wanted}`);
  return current(`ReplicaSet is available. Replicas: ${replicas}`);
}
