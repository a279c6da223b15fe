import { integerAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import { current, inProgress, type Readiness } from './status.ts';

export function statefulSetReadiness(object: KubeObject): Readiness {
  if (stringAt(object, 'spec', 'updateStrategy', 'type') === 'OnDelete') {
    return current('StatefulSet is using the ondelete update strategy');
  }
  const wanted = integerAt(object, 'spec', 'replicas') ?? 1;
  const replicas = integerAt(object, 'status', 'replicas') ?? 0;
  const ready = integerAt(object, 'status', 'readyReplicas') ?? 0;
  if (wanted > replicas) return inProgress(`Replicas: ${replicas}/${wanted}`);
  if (wanted > ready) return inProgress(`Ready: ${ready}/${wanted}`);
  if (replicas > wanted) return inProgress(`Pending termination: ${replicas - wanted}`);

  const partition = integerAt(object, 'spec', 'updateStrategy', 'rollingUpdate', 'partition') ?? -1;
  return partition === -1 ? wholeRollout(object, wanted, replicas) : partitionRollout(object, wanted - partition);
}

function partitionRollout(object: KubeObject, wanted: number): Readiness {
  const updated = integerAt(object, 'status', 'updatedReplicas') ?? 0;
  if (updated < wanted) return inProgress(`updated: ${updated}/${wanted}`);
  return current(`Partition rollout complete. updated: ${updated}`);
}

function wholeRollout(object: KubeObject, wanted: number, replicas: number): Readiness {
  const currentReplicas = integerAt(object, 'status', 'currentReplicas') ?? 0;
  if (wanted > currentReplicas) return inProgress(`current: ${currentReplicas}/${wanted}`);
  if (stringAt(object, 'status', 'currentRevision') !== stringAt(object, 'status', 'updateRevision')) {
    return inProgress('Waiting for updated revision to match current');
  }
  return current(`All replicas scheduled as expected. Replicas: ${replicas}`);
}
