import { fieldAt, integerAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import { conditionOf, conditionsOf } from './conditions.ts';
import { current, failed, inProgress, type Readiness, type ReadinessOptions } from './status.ts';

/** Value for "no deadline". The controller sets no Progressing condition then. */
const noDeadline = 2 ** 31 - 1;

export function deploymentReadiness(object: KubeObject): Readiness {
  // as in Helm: its pods would never change
  if (fieldAt(object, 'spec', 'paused') === true) return current('Deployment is paused');
  if (
    conditionsOf(object).some(({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded')
  ) {
    return failed('Progress deadline exceeded');
  }
  const wanted = integerAt(object, 'spec', 'replicas') ?? 1;
  const replicas = integerAt(object, 'status', 'replicas') ?? 0;
  const updated = integerAt(object, 'status', 'updatedReplicas') ?? 0;
  const ready = integerAt(object, 'status', 'readyReplicas') ?? 0;
  const available = integerAt(object, 'status', 'availableReplicas') ?? 0;

  if (wanted > replicas) return inProgress(`Replicas: ${replicas}/${wanted}`);
  if (wanted > updated) return inProgress(`Updated: ${updated}/${wanted}`);
  if (replicas > wanted) return inProgress(`Pending termination: ${replicas - wanted}`);
  if (updated > available) return inProgress(`Available: ${available}/${updated}`);
  if (wanted > ready) return inProgress(`Ready: ${ready}/${wanted}`);
  if (!hasProgressed(object)) return inProgress('ReplicaSet not Available');
  if (!conditionOf(object, 'Available', 'True')) return inProgress('Deployment not Available');
  return current(`Deployment is available. Replicas: ${replicas}`);
}

function hasProgressed(object: KubeObject): boolean {
  if ((integerAt(object, 'spec', 'progressDeadlineSeconds') ?? noDeadline) === noDeadline) return true;
  return conditionOf(object, 'Progressing', 'True')?.reason === 'NewReplicaSetAvailable';
}

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

export function daemonSetReadiness(object: KubeObject): Readiness {
  if (object.metadata.generation === undefined) return inProgress('DaemonSet metadata.generation not found');
  if (integerAt(object, 'status', 'observedGeneration') === undefined) {
    return inProgress('DaemonSet status.observedGeneration not found');
  }
  const desired = integerAt(object, 'status', 'desiredNumberScheduled');
  if (desired === undefined) return inProgress('Missing .status.desiredNumberScheduled');

  const counts = [
    ['Current', 'currentNumberScheduled'],
    ['Updated', 'updatedNumberScheduled'],
    ['Available', 'numberAvailable'],
    ['Ready', 'numberReady'],
  ] as const;
  const isOnDelete = stringAt(object, 'spec', 'updateStrategy', 'type') === 'OnDelete';
  for (const [label, field] of counts) {
    // someone has to delete the pods of the old revision
    if (isOnDelete && label === 'Updated') continue;
    const count = integerAt(object, 'status', field) ?? 0;
    if (desired > count) return inProgress(`${label}: ${count}/${desired}`);
  }
  return current(`All replicas scheduled as expected. Replicas: ${desired}`);
}

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
  return current(`${object.kind} is available. Replicas: ${replicas}`);
}

export function jobReadiness(object: KubeObject, { toCompletion }: ReadinessOptions): Readiness {
  const completions = integerAt(object, 'spec', 'completions') ?? integerAt(object, 'spec', 'parallelism') ?? 1;
  const succeeded = integerAt(object, 'status', 'succeeded') ?? 0;
  const failures = integerAt(object, 'status', 'failed') ?? 0;
  if (conditionOf(object, 'Complete', 'True')) {
    return current(`Job Completed. succeeded: ${succeeded}/${completions}`);
  }
  if (conditionOf(object, 'Failed', 'True')) return failed(`Job Failed. failed: ${failures}/${completions}`);
  if (fieldAt(object, 'spec', 'suspend') === true) {
    // a hook has to run
    return toCompletion?.includes('Pod') === true ? inProgress('Job is suspended') : current('Job is suspended');
  }
  if (toCompletion?.includes('Job') === true) return inProgress('Job in progress');
  if ((stringAt(object, 'status', 'startTime') ?? '') === '') return inProgress('Job not started');
  const active = integerAt(object, 'status', 'active') ?? 0;
  return current(`Job in progress. success:${succeeded}, active: ${active}, failed: ${failures}`);
}
