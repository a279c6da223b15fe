import { integerAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import { isOwnedBy, newestFirst, type Surroundings } from './surroundings.ts';

const deploymentRevision = 'deployment.kubernetes.io/revision';
const controllerRevision = 'controller-revision-hash';

/** The pods of the revision that a workload is moving to, the newest first: pods of older revisions say nothing about it. */
export function currentPods(workload: KubeObject, { replicaSets, pods }: Surroundings): KubeObject[] {
  const owned = (owner: KubeObject) => pods.filter((pod) => isOwnedBy(pod, owner)).sort(newestFirst);
  switch (workload.kind) {
    case 'Pod':
      return [workload];
    case 'Deployment': {
      const replicaSet = currentReplicaSet(workload, replicaSets);
      return replicaSet === undefined ? [] : owned(replicaSet);
    }
    case 'StatefulSet':
      return withRevision(owned(workload), stringAt(workload, 'status', 'updateRevision'));
    case 'DaemonSet': {
      const newest = owned(workload);
      return withRevision(newest, newest[0]?.metadata.labels?.[controllerRevision]);
    }
    default:
      return owned(workload);
  }
}

/**
 * The ReplicaSet that a Deployment is moving to. Undefined while the controller has not looked at the newest spec: until then
 * the highest revision is the old one.
 */
export function currentReplicaSet(deployment: KubeObject, replicaSets: readonly KubeObject[]): KubeObject | undefined {
  if (integerAt(deployment, 'status', 'observedGeneration') !== deployment.metadata.generation) return undefined;
  const revision = deployment.metadata.annotations?.[deploymentRevision];
  return replicaSets
    .filter((replicaSet) => isOwnedBy(replicaSet, deployment))
    .find((replicaSet) => replicaSet.metadata.annotations?.[deploymentRevision] === revision);
}

function withRevision(pods: KubeObject[], hash: string | undefined): KubeObject[] {
  return hash === undefined ? pods : pods.filter(({ metadata }) => metadata.labels?.[controllerRevision] === hash);
}
