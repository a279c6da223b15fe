import { integerAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import { isOwnedBy, newestFirst, type Surroundings } from './surroundings.ts';

const deploymentRevision = 'deployment.kubernetes.io/revision';
const controllerRevision = 'controller-revision-hash';

/** Returns the pods of a workload's current revision, the newest first. */
export function currentPods(workload: KubeObject, { replicaSets, pods }: Surroundings): KubeObject[] {
  const podsOf = (owner: KubeObject) => pods.filter((pod) => isOwnedBy(pod, owner)).sort(newestFirst);
  switch (workload.kind) {
    case 'Pod':
      return [workload];
    case 'Deployment': {
      const replicaSet = currentReplicaSet(workload, replicaSets);
      return replicaSet === undefined ? [] : podsOf(replicaSet);
    }
    case 'StatefulSet':
      return withRevision(podsOf(workload), stringAt(workload, 'status', 'updateRevision'));
    case 'DaemonSet': {
      const newest = podsOf(workload);
      return withRevision(newest, newest[0]?.metadata.labels?.[controllerRevision]);
    }
    default:
      return podsOf(workload);
  }
}

/**
 * Returns the current ReplicaSet of a Deployment. Undefined until the controller has observed the
 * newest spec, because its revision is the old one until then.
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
