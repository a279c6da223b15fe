import { integerAt, listAt, stringAt } from '../objects/fields.ts';
import { groupKind } from '../objects/group-kind.ts';
import type { KubeObject } from '../objects/object.ts';
import { conditionOf, conditionsOf } from './conditions.ts';
import { ownReadiness } from './own-rules.ts';
import { current, failed, inProgress, type Readiness, type ReadinessOptions, type ReadinessRule } from './status.ts';
import {
  daemonSetReadiness,
  deploymentReadiness,
  jobReadiness,
  replicaSetReadiness,
  statefulSetReadiness,
} from './workloads.ts';

const rules: ReadonlyMap<string, ReadinessRule> = new Map<string, ReadinessRule>([
  ['Service', serviceReadiness],
  ['Pod', podReadiness],
  ['Secret', () => current('Resource is always ready')],
  ['ConfigMap', () => current('Resource is always ready')],
  ['PersistentVolumeClaim', persistentVolumeClaimReadiness],
  ['apps/StatefulSet', statefulSetReadiness],
  ['apps/DaemonSet', daemonSetReadiness],
  ['apps/Deployment', deploymentReadiness],
  ['apps/ReplicaSet', replicaSetReadiness],
  // not in kstatus, which would take it for ready at once
  ['ReplicationController', replicaSetReadiness],
  ['policy/PodDisruptionBudget', () => current('AllowedDisruptions has been computed.')],
  ['batch/CronJob', () => current('Resource is always ready')],
  ['batch/Job', jobReadiness],
  ['apiextensions.k8s.io/CustomResourceDefinition', customResourceDefinitionReadiness],
  ['apiregistration.k8s.io/APIService', apiServiceReadiness],
]);

/**
 * Returns the status of an object by the rules of kstatus, in the same order: deletion, generation,
 * the conditions Reconciling and Stalled, the rule of the kind, the condition Ready. An object to
 * which none applies is current.
 */
export function readinessOf(object: KubeObject, options: ReadinessOptions): Readiness {
  return (
    ownReadiness(object, options.rules ?? []) ??
    genericReadiness(object) ??
    (rules.get(groupKind(object)) ?? readyCondition)(object, options)
  );
}

/** Whether the objects of this kind have a rule of their own. */
export function hasReadinessRule(object: KubeObject): boolean {
  return rules.has(groupKind(object));
}

function genericReadiness(object: KubeObject): Readiness | undefined {
  if ((object.metadata.deletionTimestamp ?? '') !== '') {
    return { status: 'Terminating', message: 'Resource scheduled for deletion' };
  }
  const generation = integerAt(object, 'metadata', 'generation');
  const observed = integerAt(object, 'status', 'observedGeneration');
  if (generation !== undefined && observed !== undefined && observed !== generation) {
    return inProgress(`${object.kind} generation is ${generation}, but latest observed generation is ${observed}`);
  }
  for (const { type, status, message } of conditionsOf(object)) {
    if (type === 'Reconciling' && status === 'True') return inProgress(message);
    if (type === 'Stalled' && status === 'True') return failed(message);
  }
  return undefined;
}

function readyCondition(object: KubeObject): Readiness {
  for (const { type, status, reason, message } of conditionsOf(object)) {
    if (type !== 'Ready') continue;
    if (status === 'True') return current('Resource is Ready');
    if (status === 'False' || status === 'Unknown') return inProgress(message === '' ? reason : message);
  }
  return current('Resource is current');
}

/** Requests for its API fail until it is available. */
function apiServiceReadiness(object: KubeObject): Readiness {
  const available = conditionsOf(object).find(({ type }) => type === 'Available');
  if (available?.status === 'True') return current('APIService is available');
  return inProgress(available === undefined ? 'APIService was not checked yet' : available.message);
}

function serviceReadiness(object: KubeObject): Readiness {
  const isLoadBalancer = stringAt(object, 'spec', 'type') === 'LoadBalancer';
  if (isLoadBalancer && (stringAt(object, 'spec', 'clusterIP') ?? '') === '') {
    return inProgress('ClusterIP not set. Service type: LoadBalancer');
  }
  return current('Service is ready');
}

export function persistentVolumeClaimReadiness(object: KubeObject): Readiness {
  const phase = stringAt(object, 'status', 'phase') ?? 'unknown';
  return phase === 'Bound' ? current('PVC is Bound') : inProgress(`PVC is not Bound. phase: ${phase}`);
}

function customResourceDefinitionReadiness(object: KubeObject): Readiness {
  for (const { type, status, reason, message } of conditionsOf(object)) {
    if (type === 'NamesAccepted' && status === 'False') return failed(message);
    if (type === 'Established' && status === 'False' && reason !== 'Installing') return failed(message);
    if (type === 'Established' && status === 'True') return current('CRD is established');
  }
  return inProgress('Install in progress');
}

/** Time without a node after which a pod counts as failed, in milliseconds. */
const schedulingGrace = 15_000;

function podReadiness(object: KubeObject, options: ReadinessOptions): Readiness {
  if (options.toCompletion?.includes('Pod') === true) return podCompletion(object);
  const phase = stringAt(object, 'status', 'phase') ?? '';
  switch (phase) {
    case 'Succeeded':
      return current('Pod has completed successfully');
    case 'Failed':
      return current('Pod has completed, but not successfully');
    case 'Running':
      return runningPod(object);
    case 'Pending':
      return pendingPod(object, options.now);
    case '':
      return inProgress('Pod phase not available');
    default:
      return inProgress(`unknown phase ${phase}`);
  }
}

/** Helm's rule for the pod of a hook. */
function podCompletion(object: KubeObject): Readiness {
  const { name } = object.metadata;
  const phase = stringAt(object, 'status', 'phase');
  if (phase === 'Succeeded') return current(`pod ${name} succeeded`);
  if (phase === 'Failed') return failed(`pod ${name} failed`);
  return inProgress(`pod ${name} in progress`);
}

function runningPod(object: KubeObject): Readiness {
  if (conditionOf(object, 'Ready', 'True')) return current('Pod is Ready');
  const looping = listAt(object, 'status', 'containerStatuses').filter(
    (container) => stringAt(container, 'state', 'waiting', 'reason') === 'CrashLoopBackOff',
  );
  if (looping.length === 0) return inProgress('Pod is running but is not Ready');
  const names = looping.map((container) => stringAt(container, 'name') ?? '');
  return failed(`Containers in CrashLoop state: ${names.join(',')}`);
}

function pendingPod(object: KubeObject, now: number): Readiness {
  if (conditionOf(object, 'PodScheduled', 'False')?.reason !== 'Unschedulable') {
    return inProgress('Pod is in the Pending phase');
  }
  const age = now - Date.parse(object.metadata.creationTimestamp ?? '');
  if (age > schedulingGrace) return failed('Pod could not be scheduled');
  const waiting = inProgress('Pod has not been scheduled');
  return Number.isNaN(age) ? waiting : { ...waiting, changesIn: schedulingGrace - age + 1 };
}
