import { stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import { conditionOf } from './conditions.ts';
import { currentPods, olderPods } from './current-pods.ts';
import { podProblem } from './pod-problem.ts';
import { bySeverity, type Problem } from './problem.ts';
import { refusalOf } from './refusal.ts';
import {
  eventsByObject,
  eventsOf,
  newestWarningEvent,
  type RelatedObjects,
  textOfEvent,
  timesSeen,
} from './related-objects.ts';

/** Maximum length of a reason: a message of the API can list all nodes. */
const maxLength = 1000;

/**
 * Returns the reason why a workload is not ready: the message of its controller, or the problem of
 * the newest pod in its current revision. Undefined if no reason is known.
 */
export function diagnose(workload: KubeObject, related: RelatedObjects): string | undefined {
  return problemOf(workload, related)?.text;
}

/** Returns the most serious problem of a workload, of its newest pod if several have it. */
export function problemOf(workload: KubeObject, related: RelatedObjects): Problem | undefined {
  const problem =
    workload.kind === 'PersistentVolumeClaim' ? claimProblem(workload, related) : workloadProblem(workload, related);
  return problem && { ...problem, text: shortened(problem.text) };
}

function workloadProblem(workload: KubeObject, related: RelatedObjects): Problem | undefined {
  const refusal = refusalOf(workload, related);
  const pods = podProblems(workload, related);
  const [worst] = [...(refusal ? [refusal] : []), ...pods].sort(bySeverity);
  return jobFailure(workload, worst) ?? worst ?? updateBlock(workload, related);
}

/** Returns the failure of a Job, with the problem of its last pod. */
function jobFailure(workload: KubeObject, cause: Problem | undefined): Problem | undefined {
  if (workload.kind !== 'Job') return undefined;
  // the controller sets `FailureTarget` first, while pods are still running
  const failure = conditionOf(workload, 'Failed', 'True') ?? conditionOf(workload, 'FailureTarget', 'True');
  if (failure === undefined) return undefined;
  const text = `${failure.reason}: ${failure.message}`;
  if (cause === undefined) return { code: 'job_failed', text };
  return { ...cause, code: 'job_failed', cause: cause.code, text: `${cause.text}; ${text}` };
}

/** The StatefulSet controller waits for pods of the old revision before it replaces others. */
function updateBlock(workload: KubeObject, related: RelatedObjects): Problem | undefined {
  const [blocked] = problemsOfPods(olderPods(workload, related), related);
  return (
    blocked && {
      ...blocked,
      code: 'update_blocked',
      text: `a pod of the revision before is not ready: ${blocked.text}`,
    }
  );
}

function podProblems(workload: KubeObject, related: RelatedObjects): Problem[] {
  return problemsOfPods(currentPods(workload, related), related);
}

function problemsOfPods(pods: readonly KubeObject[], { events }: RelatedObjects): Problem[] {
  if (pods.length === 0) return [];
  const byPod = eventsByObject(events);
  return pods.flatMap((pod) => {
    const problem = podProblem(pod, byPod.get(pod.metadata.uid) ?? []);
    return problem === undefined ? [] : [{ ...problem, text: `${problem.text} (${placeOf(pod, problem)})` }];
  });
}

function placeOf(pod: KubeObject, { container }: Problem): string {
  return container === undefined ? `pod ${pod.metadata.name}` : `container ${container} of pod ${pod.metadata.name}`;
}

function claimProblem(claim: KubeObject, { events }: RelatedObjects): Problem | undefined {
  if (stringAt(claim, 'status', 'phase') === 'Bound') return undefined;
  const event = newestWarningEvent(eventsOf(events, claim), (reason) => reason === 'ProvisioningFailed');
  return event && { code: 'volume_not_provisioned', text: textOfEvent(event), failures: timesSeen(event) };
}

function shortened(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
