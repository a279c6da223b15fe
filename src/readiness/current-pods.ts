import { integerAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import { isOwnedBy, newestFirst, type RelatedObjects } from './related-objects.ts';

const deploymentRevision = 'deployment.kubernetes.io/revision';
const controllerRevision = 'controller-revision-hash';

/** The number of a DaemonSet's pod template, in its annotation and in a label of its pods. */
const daemonSetGeneration = 'deprecated.daemonset.template.generation';
const podGeneration = 'pod-template-generation';

/**
 * Returns the pods of a workload's current revision, the newest first. There are none until the
 * controller has observed the newest spec, because only then is their revision known.
 */
export function currentPods(workload: KubeObject, { replicaSets, pods }: RelatedObjects): KubeObject[] {
  const podsOf = (owner: KubeObject) => pods.filter((pod) => isOwnedBy(pod, owner)).sort(newestFirst);
  switch (workload.kind) {
    case 'Pod':
      return [workload];
    case 'Deployment': {
      const replicaSet = currentReplicaSet(workload, replicaSets);
      return replicaSet === undefined ? [] : podsOf(replicaSet);
    }
    case 'StatefulSet':
      return isObserved(workload) ? withLabel(podsOf(workload), controllerRevision, updateRevision(workload)) : [];
    case 'DaemonSet': {
      const generation = workload.metadata.annotations?.[daemonSetGeneration];
      const newest = podsOf(workload);
      if (!isObserved(workload)) return [];
      return generation === undefined
        ? withLabel(newest, controllerRevision, newest[0]?.metadata.labels?.[controllerRevision])
        : withLabel(newest, podGeneration, generation);
    }
    default:
      return podsOf(workload);
  }
}

/** Returns the pods of a StatefulSet that are of an older revision, the newest first. */
export function olderPods(workload: KubeObject, { pods }: RelatedObjects): KubeObject[] {
  if (workload.kind !== 'StatefulSet' || !isObserved(workload)) return [];
  const revision = updateRevision(workload);
  return pods
    .filter((pod) => isOwnedBy(pod, workload) && pod.metadata.labels?.[controllerRevision] !== revision)
    .sort(newestFirst);
}

/**
 * Returns the current ReplicaSet of a Deployment. Undefined until the controller has observed the
 * newest spec, because its revision is the old one until then.
 */
export function currentReplicaSet(deployment: KubeObject, replicaSets: readonly KubeObject[]): KubeObject | undefined {
  if (!isObserved(deployment)) return undefined;
  const revision = deployment.metadata.annotations?.[deploymentRevision];
  return replicaSets
    .filter((replicaSet) => isOwnedBy(replicaSet, deployment))
    .find((replicaSet) => replicaSet.metadata.annotations?.[deploymentRevision] === revision);
}

function isObserved({ metadata, status }: KubeObject): boolean {
  return integerAt(status, 'observedGeneration') === metadata.generation;
}

function updateRevision(statefulSet: KubeObject): string | undefined {
  return stringAt(statefulSet, 'status', 'updateRevision');
}

function withLabel(pods: KubeObject[], label: string, value: string | undefined): KubeObject[] {
  return value === undefined ? pods : pods.filter(({ metadata }) => metadata.labels?.[label] === value);
}
