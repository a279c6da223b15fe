import { listAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import type { ProblemCode } from '../protocol/problem-codes.ts';
import { conditionOf } from './conditions.ts';
import { joined } from './container-exit.ts';
import { containerProblems } from './container-problem.ts';
import { imageProblem } from './image-problem.ts';
import { bySeverity, type Problem } from './problem.ts';
import { eventsOf, newestWarningEvent, textOfEvent, timesSeen } from './related-objects.ts';

/** Events of autoscalers that make room for a pod: the cluster autoscaler's, and Karpenter's. */
const scaleUpEvents: ReadonlySet<string> = new Set(['TriggeredScaleUp', 'Nominated']);

/** Volumes that need neither a driver nor the network. */
const localVolumes: ReadonlySet<string> = new Set([
  ...['configMap', 'secret', 'projected', 'downwardAPI', 'emptyDir', 'hostPath'],
]);

/** Reasons of failed pods that lost their node, or whose node shut down. */
const nodeReasons: ReadonlySet<string> = new Set(['NodeLost', 'NodeShutdown', 'NodeAffinity', 'Terminated']);

/**
 * Returns the problem of a pod that is not ready. Undefined if the pod is ready, has succeeded, or
 * is being deleted.
 */
export function podProblem(pod: KubeObject, events: readonly KubeObject[]): Problem | undefined {
  if (pod.metadata.deletionTimestamp !== undefined || conditionOf(pod, 'Ready', 'True')) return undefined;
  if (stringAt(pod, 'status', 'phase') === 'Succeeded') return undefined;
  const about = eventsOf(events, pod);
  return (
    schedulingProblem(pod, about) ??
    containerProblems(pod, about).sort(bySeverity)[0] ??
    podFailure(pod) ??
    setUpProblem(pod, about)
  );
}

function schedulingProblem(pod: KubeObject, events: readonly KubeObject[]): Problem | undefined {
  const condition = conditionOf(pod, 'PodScheduled', 'False');
  if (condition === undefined) return undefined;
  const isHopeless = condition.reason === 'Unschedulable' && !mayGetNode(pod, events);
  return { code: isHopeless ? 'unschedulable' : 'waiting_for_node', text: joined(condition.reason, condition.message) };
}

/**
 * Whether room is being made for a pod: the scheduler or an autoscaler has chosen a node, an
 * autoscaler adds one, or a volume of the pod may not be there yet.
 */
function mayGetNode(pod: KubeObject, events: readonly KubeObject[]): boolean {
  if ((stringAt(pod, 'status', 'nominatedNodeName') ?? '') !== '') return true;
  if (events.some((event) => scaleUpEvents.has(stringAt(event, 'reason') ?? ''))) return true;
  return !hasOnlyLocalVolumes(pod);
}

function hasOnlyLocalVolumes(pod: KubeObject): boolean {
  const sources = listAt(pod, 'spec', 'volumes').flatMap((volume) => Object.keys(volume as object)); // as the API defines it
  return sources.every((source) => source === 'name' || localVolumes.has(source));
}

function podFailure(pod: KubeObject): Problem | undefined {
  const phase = stringAt(pod, 'status', 'phase');
  const reason = stringAt(pod, 'status', 'reason') ?? '';
  const message = stringAt(pod, 'status', 'message') ?? '';
  if (phase === 'Unknown') return { code: 'node_lost', text: joined(reason === '' ? 'Unknown' : reason, message) };
  if (phase !== 'Failed') return undefined;
  const code = reason === 'Evicted' ? 'evicted' : nodeReasons.has(reason) ? 'node_lost' : 'pod_failed';
  return { code, text: joined(reason === '' ? 'Failed' : reason, message) };
}

/** `Error: ErrImagePull`: the kubelet reports the cause first, and then the container's state. */
const repeatedState = /^Error: \w+$/;

/** The problem of a pod that is starting. Volumes and sandboxes report only events. */
function setUpProblem(pod: KubeObject, events: readonly KubeObject[]): Problem {
  const lost = newestWarningEvent(events, (reason) => reason === 'NodeNotReady');
  if (lost !== undefined) return { code: 'node_lost', text: textOfEvent(lost) };
  const hasFailed = (reason: string) => reason.startsWith('Failed');
  const warning =
    newestWarningEvent(events, (reason, message) => hasFailed(reason) && !repeatedState.test(message)) ??
    newestWarningEvent(events, hasFailed);
  if (warning !== undefined) {
    return { code: setUpCode(pod, warning), text: textOfEvent(warning), failures: timesSeen(warning) };
  }
  const waiting = listAt(pod, 'status', 'containerStatuses')
    .map((status) => stringAt(status, 'state', 'waiting', 'reason'))
    .find((reason) => reason !== undefined);
  const unready = conditionOf(pod, 'Ready', 'False')?.message ?? '';
  return { code: 'starting', text: waiting ?? (unready === '' ? 'the pod is not ready' : unready) };
}

function setUpCode(pod: KubeObject, warning: KubeObject): ProblemCode {
  switch (stringAt(warning, 'reason')) {
    case 'FailedMount':
    case 'FailedAttachVolume':
    case 'FailedMapVolume':
      return hasOnlyLocalVolumes(pod) ? 'volume_source_missing' : 'volume_not_mounted';
    case 'FailedScheduling': // the scheduler wrote it before it found a node
      return 'starting';
    case 'Failed': // of a pull, before the container has the state
      return imageProblem('ErrImagePull', stringAt(warning, 'message') ?? '') ?? 'set_up_failed';
    default:
      return 'set_up_failed';
  }
}
