import { fieldAt, integerAt, listAt, stringAt } from '../objects/fields.ts';
import { groupKind } from '../objects/group-kind.ts';
import type { KubeObject } from '../objects/object.ts';
import { conditionOf } from './conditions.ts';
import { currentPods, currentReplicaSet } from './current-pods.ts';
import { persistentVolumeClaimReadiness } from './readiness.ts';
import type { RelatedObjects } from './related-objects.ts';
import { current, failed, inProgress, type Readiness, type ReadinessOptions } from './status.ts';

type LegacyRule = (
  object: KubeObject,
  options: ReadinessOptions,
  relatedTo: (workload: KubeObject) => RelatedObjects,
) => Readiness;

/** The rules of Helm's strategy `legacy`, which is that of Helm 3 (pkg/kube/ready.go). */
const rules: ReadonlyMap<string, LegacyRule> = new Map<string, LegacyRule>([
  ['Pod', podReadiness],
  ['Service', serviceReadiness],
  ['PersistentVolumeClaim', persistentVolumeClaimReadiness],
  ['ReplicationController', podsReadiness],
  ['apps/ReplicaSet', podsReadiness],
  ['apps/Deployment', deploymentReadiness],
  ['apps/DaemonSet', daemonSetReadiness],
  ['apps/StatefulSet', statefulSetReadiness],
  ['batch/Job', jobReadiness],
  ['apiextensions.k8s.io/CustomResourceDefinition', customResourceDefinitionReadiness],
]);

/**
 * Returns the status of an object by the rules of Helm's strategy `legacy`. All other kinds are
 * ready at once. Unlike in Helm, an object that is being deleted is not ready, a Job that has
 * failed by its deadline has failed, and a workload that wants pods is not ready with none.
 */
export function legacyReadiness(
  object: KubeObject,
  options: ReadinessOptions,
  relatedTo: (workload: KubeObject) => RelatedObjects,
): Readiness {
  if ((object.metadata.deletionTimestamp ?? '') !== '') {
    return { status: 'Terminating', message: 'Resource scheduled for deletion' };
  }
  const rule = rules.get(groupKind(object));
  return rule === undefined ? current('Resource is always ready') : rule(object, options, relatedTo);
}

function podReadiness(object: KubeObject): Readiness {
  return conditionOf(object, 'Ready', 'True') ? current('Pod is Ready') : inProgress('Pod is not Ready');
}

function serviceReadiness(object: KubeObject): Readiness {
  const type = stringAt(object, 'spec', 'type');
  if (type === 'ExternalName') return current('Service is external');
  if ((stringAt(object, 'spec', 'clusterIP') ?? '') === '') return inProgress('Service has no cluster IP address');
  if (type !== 'LoadBalancer' || listAt(object, 'spec', 'externalIPs').length > 0) return current('Service is ready');
  return Array.isArray(fieldAt(object, 'status', 'loadBalancer', 'ingress'))
    ? current('Service is ready')
    : inProgress('Service has no load balancer ingress IP address');
}

function podsReadiness(object: KubeObject, _: ReadinessOptions, relatedTo: (of: KubeObject) => RelatedObjects) {
  const outdated = unobserved(object);
  if (outdated !== undefined) return outdated;
  const pods = currentPods(object, relatedTo(object));
  const ready = pods.filter((pod) => conditionOf(pod, 'Ready', 'True')).length;
  const wanted = integerAt(object, 'spec', 'replicas') ?? 1;
  if (ready < pods.length || ready < Math.min(wanted, 1)) return inProgress(`Ready: ${ready}/${wanted}`);
  return current(`All pods are ready: ${ready}`);
}

function deploymentReadiness(
  object: KubeObject,
  _: ReadinessOptions,
  relatedTo: (workload: KubeObject) => RelatedObjects,
): Readiness {
  if (fieldAt(object, 'spec', 'paused') === true) return current('Deployment is paused');
  const outdated = unobserved(object);
  if (outdated !== undefined) return outdated;
  const replicaSet = currentReplicaSet(object, relatedTo(object).replicaSets);
  if (replicaSet === undefined) return inProgress('ReplicaSet not found');
  const replicaSetOutdated = unobserved(replicaSet);
  if (replicaSetOutdated !== undefined) return replicaSetOutdated;
  const wanted = integerAt(object, 'spec', 'replicas') ?? 1;
  const ready = integerAt(replicaSet, 'status', 'readyReplicas') ?? 0;
  return enough(ready, wanted, maxUnavailableOf(object));
}

function daemonSetReadiness(object: KubeObject): Readiness {
  const outdated = unobserved(object);
  if (outdated !== undefined) return outdated;
  if (!isRolling(object)) return current('DaemonSet does not update its pods by itself');
  const desired = integerAt(object, 'status', 'desiredNumberScheduled') ?? 0;
  const updated = integerAt(object, 'status', 'updatedNumberScheduled') ?? 0;
  if (updated !== desired) return inProgress(`Updated: ${updated}/${desired}`);
  const most = fieldAt(object, 'spec', 'updateStrategy', 'rollingUpdate', 'maxUnavailable') ?? 1;
  return enough(integerAt(object, 'status', 'numberReady') ?? 0, desired, scaled(most, desired, 'up') ?? desired);
}

function statefulSetReadiness(object: KubeObject): Readiness {
  const outdated = unobserved(object);
  if (outdated !== undefined) return outdated;
  if (!isRolling(object)) return current('StatefulSet does not update its pods by itself');
  const wanted = integerAt(object, 'spec', 'replicas') ?? 1;
  const partition = integerAt(object, 'spec', 'updateStrategy', 'rollingUpdate', 'partition') ?? 0;
  const updated = integerAt(object, 'status', 'updatedReplicas') ?? 0;
  if (updated < wanted - partition) return inProgress(`Updated: ${updated}/${wanted - partition}`);
  const ready = integerAt(object, 'status', 'readyReplicas') ?? 0;
  if (ready !== wanted) return inProgress(`Ready: ${ready}/${wanted}`);
  const revisions = [stringAt(object, 'status', 'currentRevision'), stringAt(object, 'status', 'updateRevision')];
  if (partition === 0 && revisions[0] !== revisions[1]) {
    return inProgress('Waiting for updated revision to match current');
  }
  return current(`All replicas are ready: ${ready}`);
}

const defaultBackoffLimit = 6;

function jobReadiness(object: KubeObject, { toCompletion }: ReadinessOptions): Readiness {
  if (toCompletion?.includes('Job') !== true) return current('Job is not waited for');
  const failures = integerAt(object, 'status', 'failed') ?? 0;
  const limit = integerAt(object, 'spec', 'backoffLimit') ?? defaultBackoffLimit;
  if (failures > limit || conditionOf(object, 'Failed', 'True')) return failed(`Job Failed. failed: ${failures}`);
  const completions = integerAt(object, 'spec', 'completions');
  const succeeded = integerAt(object, 'status', 'succeeded') ?? 0;
  if (completions !== undefined && succeeded < completions) {
    return inProgress(`Job in progress. succeeded: ${succeeded}/${completions}`);
  }
  return current(`Job Completed. succeeded: ${succeeded}`);
}

function customResourceDefinitionReadiness(object: KubeObject): Readiness {
  const isReady = conditionOf(object, 'Established', 'True') ?? conditionOf(object, 'NamesAccepted', 'False');
  return isReady ? current('CRD is established') : inProgress('Install in progress');
}

function unobserved({ kind, metadata: { generation }, status }: KubeObject): Readiness | undefined {
  const observed = integerAt(status, 'observedGeneration') ?? 0;
  if (observed === (generation ?? 0)) return undefined;
  return inProgress(`${kind} generation is ${generation ?? 0}, but latest observed generation is ${observed}`);
}

function isRolling(object: KubeObject): boolean {
  return (stringAt(object, 'spec', 'updateStrategy', 'type') ?? 'RollingUpdate') === 'RollingUpdate';
}

function enough(ready: number, wanted: number, unavailable: number): Readiness {
  const least = Math.max(wanted - unavailable, Math.min(wanted, 1));
  return ready < least ? inProgress(`Ready: ${ready}/${least}`) : current(`Pods are ready: ${ready}/${wanted}`);
}

const defaultShare = '25%';

/**
 * Returns the number of pods that may be unavailable while a Deployment is updated, as its
 * controller computes it (MaxUnavailable in pkg/controller/deployment/util).
 */
function maxUnavailableOf(deployment: KubeObject): number {
  const replicas = integerAt(deployment, 'spec', 'replicas') ?? 1;
  if (stringAt(deployment, 'spec', 'strategy', 'type') === 'Recreate' || replicas === 0) return 0;
  const settings = fieldAt(deployment, 'spec', 'strategy', 'rollingUpdate');
  const surge = scaled(fieldAt(settings, 'maxSurge') ?? defaultShare, replicas, 'up') ?? 0;
  const unavailable = scaled(fieldAt(settings, 'maxUnavailable') ?? defaultShare, replicas, 'down') ?? 0;
  return surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, replicas);
}

/** Returns `3` or `30%` of a total as a number of pods. Undefined if it is neither. */
function scaled(value: unknown, total: number, round: 'up' | 'down'): number | undefined {
  if (typeof value === 'number') return value;
  const percent = typeof value === 'string' ? /^(\d+)%$/.exec(value)?.[1] : undefined;
  if (percent === undefined) return undefined;
  const share = (Number(percent) * total) / 100;
  return round === 'up' ? Math.ceil(share) : Math.floor(share);
}
