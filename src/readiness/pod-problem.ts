import { fieldAt, integerAt, listAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import { conditionOf } from './conditions.ts';
import { newestWarning } from './surroundings.ts';

export interface PodProblem {
  /** `ImagePullBackOff: Back-off pulling image "x"`. */
  reason: string;
  container?: string;
  /** Whether it is the cause, and not only a state of a pod that is starting. */
  isCause: boolean;
}

/** Reasons of containers that wait while their pod starts. */
const settingUp: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

/**
 * Returns the problem of a pod that is not ready. Undefined if the pod is ready, has succeeded, or
 * is being deleted.
 */
export function podProblem(pod: KubeObject, events: readonly KubeObject[]): PodProblem | undefined {
  if (pod.metadata.deletionTimestamp !== undefined || conditionOf(pod, 'Ready', 'True')) return undefined;
  if (stringAt(pod, 'status', 'phase') === 'Succeeded') return undefined;
  return schedulingProblem(pod) ?? containerProblem(pod, events) ?? podFailure(pod) ?? setUpProblem(pod, events);
}

function schedulingProblem(pod: KubeObject): PodProblem | undefined {
  const condition = conditionOf(pod, 'PodScheduled', 'False');
  return condition && { reason: joined(condition.reason, condition.message), isCause: true };
}

function containerProblem(pod: KubeObject, events: readonly KubeObject[]): PodProblem | undefined {
  const statuses = [...listAt(pod, 'status', 'initContainerStatuses'), ...listAt(pod, 'status', 'containerStatuses')];
  for (const status of statuses) {
    const reason = waitingReason(status) ?? terminatedReason(status) ?? unreadyReason(status, pod, events);
    if (reason !== undefined) return { reason, container: stringAt(status, 'name') ?? '', isCause: true };
  }
  return undefined;
}

function waitingReason(status: unknown): string | undefined {
  const reason = stringAt(status, 'state', 'waiting', 'reason');
  if (reason === undefined || settingUp.has(reason)) return undefined;
  const message = stringAt(status, 'state', 'waiting', 'message') ?? '';
  const last = fieldAt(status, 'lastState', 'terminated');
  // the message of the API has only the pod's name, its uid and the growing delay
  return reason === 'CrashLoopBackOff' && last !== undefined
    ? joined(reason, `last ${exitText(last)}, ${restarts(status)}`)
    : joined(reason, message);
}

function terminatedReason(status: unknown): string | undefined {
  const terminated = fieldAt(status, 'state', 'terminated');
  return integerAt(terminated, 'exitCode') === undefined || integerAt(terminated, 'exitCode') === 0
    ? undefined
    : joined('Terminated', exitText(terminated));
}

/** The reason of a running container that is not ready: an earlier crash, or a failing probe. */
function unreadyReason(status: unknown, pod: KubeObject, events: readonly KubeObject[]): string | undefined {
  if (fieldAt(status, 'state', 'running') === undefined || fieldAt(status, 'ready') !== false) return undefined;
  const last = fieldAt(status, 'lastState', 'terminated');
  if (last !== undefined) return joined('NotReady', `last ${exitText(last)}, ${restarts(status)}`);
  return newestWarning(events, pod, (reason) => reason === 'Unhealthy');
}

function podFailure(pod: KubeObject): PodProblem | undefined {
  if (stringAt(pod, 'status', 'phase') !== 'Failed') return undefined;
  const reason = joined(stringAt(pod, 'status', 'reason') ?? 'Failed', stringAt(pod, 'status', 'message') ?? '');
  return { reason, isCause: true };
}

/** `Error: ErrImagePull`: the kubelet reports the cause first, and then the container's state. */
const repeatedState = /^Error: \w+$/;

/** The problem of a pod that is starting. Volumes and sandboxes report only events. */
function setUpProblem(pod: KubeObject, events: readonly KubeObject[]): PodProblem {
  const hasFailed = (reason: string) => reason.startsWith('Failed');
  const warning =
    newestWarning(events, pod, (reason, message) => hasFailed(reason) && !repeatedState.test(message)) ??
    newestWarning(events, pod, hasFailed);
  if (warning !== undefined) return { reason: warning, isCause: true };
  const waiting = listAt(pod, 'status', 'containerStatuses')
    .map((status) => stringAt(status, 'state', 'waiting', 'reason'))
    .find((reason) => reason !== undefined);
  const unready = conditionOf(pod, 'Ready', 'False')?.message ?? '';
  return { reason: waiting ?? (unready === '' ? 'the pod is not ready' : unready), isCause: false };
}

/** Returns `exit code 1 (Error)`, followed by the container's termination message. */
function exitText(terminated: unknown): string {
  const code = integerAt(terminated, 'exitCode') ?? 0;
  const reason = stringAt(terminated, 'reason');
  const message = (stringAt(terminated, 'message') ?? '').trim();
  return joined(`exit code ${code}${reason === undefined ? '' : ` (${reason})`}`, message);
}

function restarts(status: unknown): string {
  const count = integerAt(status, 'restartCount') ?? 0;
  return count === 1 ? '1 restart' : `${count} restarts`;
}

function joined(reason: string, message: string): string {
  return message === '' ? reason : `${reason}: ${message}`;
}
