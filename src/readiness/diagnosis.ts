import type { KubeObject } from '../objects/object.ts';
import { currentPods, currentReplicaSet } from './current-pods.ts';
import { conditionOf } from './conditions.ts';
import { podProblem, type PodProblem } from './pod-problem.ts';
import { newestWarning, type Surroundings } from './surroundings.ts';

/** Maximum length of a reason: a message of the API can list all nodes. */
const maxLength = 1000;

/**
 * Returns the reason why a workload is not ready: the message of its controller, or the problem of
 * the newest pod in its current revision. Undefined if no reason is known.
 */
export function diagnose(workload: KubeObject, surroundings: Surroundings): string | undefined {
  const problems = podProblems(workload, surroundings);
  const reason =
    creationFailure(workload, surroundings) ??
    problems.find(({ isCause }) => isCause)?.text ??
    newestWarning(surroundings.events, workload, (event) => event === 'FailedCreate') ??
    jobFailure(workload) ??
    problems[0]?.text;
  return reason !== undefined && reason.length > maxLength ? `${reason.slice(0, maxLength)}…` : reason;
}

/** Pods that cannot be created, because of a quota or an admission webhook. */
function creationFailure(workload: KubeObject, { replicaSets }: Surroundings): string | undefined {
  const replicaSet = workload.kind === 'Deployment' ? currentReplicaSet(workload, replicaSets) : undefined;
  for (const controller of [replicaSet, workload]) {
    const failure = controller && conditionOf(controller, 'ReplicaFailure', 'True');
    if (failure) return `${failure.reason}: ${failure.message}`;
  }
  return undefined;
}

function jobFailure(workload: KubeObject): string | undefined {
  const failure = workload.kind === 'Job' ? conditionOf(workload, 'Failed', 'True') : undefined;
  return failure && `${failure.reason}: ${failure.message}`;
}

function podProblems(workload: KubeObject, surroundings: Surroundings): { text: string; isCause: boolean }[] {
  return currentPods(workload, surroundings).flatMap((pod) => {
    const problem = podProblem(pod, surroundings.events);
    return problem === undefined
      ? []
      : [{ text: `${problem.reason} (${describe(pod, problem)})`, isCause: problem.isCause }];
  });
}

function describe(pod: KubeObject, { container }: PodProblem): string {
  return container === undefined ? `pod ${pod.metadata.name}` : `container ${container} of pod ${pod.metadata.name}`;
}
