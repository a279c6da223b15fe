import { listAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import type { ProblemCode } from '../protocol/problem-codes.ts';
import { conditionOf } from './conditions.ts';
import { currentReplicaSet } from './current-pods.ts';
import type { Problem } from './problem.ts';
import {
  eventsOf,
  eventTime,
  isOwnedBy,
  newestWarningEvent,
  type RelatedObjects,
  textOfEvent,
  timesSeen,
} from './related-objects.ts';

/**
 * Texts of the API server that refuses a pod. Controllers pass it on only as text. The texts
 * are those of the admission plugins ResourceQuota and PodSecurity.
 */
const refusals: readonly [pattern: RegExp, code: ProblemCode][] = [
  [/ is forbidden: exceeded quota: /, 'quota_exceeded'],
  [/ is forbidden: violates PodSecurity /, 'pod_security'],
];

/** Returns why the controller of a workload cannot create pods, if it cannot. */
export function refusalOf(workload: KubeObject, related: RelatedObjects): Problem | undefined {
  const creators = creatorsOf(workload, related);
  for (const creator of creators) {
    const failure = conditionOf(creator, 'ReplicaFailure', 'True');
    if (failure) return refusal(`${failure.reason}: ${failure.message}`, workload, related);
  }
  // StatefulSets, DaemonSets and Jobs have no condition for it
  const event = newestWarningEvent(eventsOf(related.events, workload), (reason) => reason === 'FailedCreate');
  if (event === undefined || isOutdated(event, workload, related)) return undefined;
  return { ...refusal(textOfEvent(event), workload, related), failures: timesSeen(event) };
}

function creatorsOf(workload: KubeObject, { replicaSets }: RelatedObjects): KubeObject[] {
  const replicaSet = workload.kind === 'Deployment' ? currentReplicaSet(workload, replicaSets) : undefined;
  return replicaSet === undefined ? [workload] : [replicaSet, workload];
}

/** Pods of older revisions that end make room in a quota, so that it is only likely exceeded. */
function refusal(text: string, workload: KubeObject, related: RelatedObjects): Problem {
  const code = refusals.find(([pattern]) => pattern.test(text))?.[1] ?? 'pods_refused';
  const mayGetRoom = code === 'quota_exceeded' && hasPodsThatEnd(workload, related);
  return { code: mayGetRoom ? 'pods_refused' : code, text };
}

function hasPodsThatEnd(workload: KubeObject, { replicaSets, pods }: RelatedObjects): boolean {
  const current = creatorsOf(workload, { replicaSets, pods, events: [] })[0] ?? workload;
  const owners = [workload, ...replicaSets.filter((replicaSet) => isOwnedBy(replicaSet, workload))];
  return pods.some(
    (pod) =>
      owners.some((owner) => isOwnedBy(pod, owner)) &&
      (pod.metadata.deletionTimestamp !== undefined || !isOwnedBy(pod, current)),
  );
}

/**
 * Whether an event is older than the workload's spec, or than a pod that was created nevertheless.
 */
function isOutdated(event: KubeObject, workload: KubeObject, { pods }: RelatedObjects): boolean {
  const created = pods.filter((pod) => isOwnedBy(pod, workload)).map((pod) => timeOf(pod.metadata.creationTimestamp));
  return eventTime(event) < Math.max(specTime(workload), ...created);
}

/** Returns when a client has last changed an object, by the API server's clock. */
function specTime({ metadata }: KubeObject): number {
  const writes = listAt(metadata, 'managedFields').filter((entry) => stringAt(entry, 'subresource') === undefined);
  return Math.max(0, timeOf(metadata.creationTimestamp), ...writes.map((entry) => timeOf(stringAt(entry, 'time'))));
}

function timeOf(text: string | undefined): number {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? 0 : time;
}
