import { fieldAt, integerAt, listAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import type { ProblemCode } from '../protocol/problem-codes.ts';
import { exitText, joined, restartsText } from './container-exit.ts';
import { imageProblem } from './image-problem.ts';
import type { Problem } from './problem.ts';
import { newestWarningEvent, textOfEvent, timesSeen } from './related-objects.ts';

/** Reasons of containers that wait while their pod starts. */
const settingUp: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

/** Reasons of runs that have not started. The container is then started again, as after a crash. */
const startErrors: ReadonlySet<string> = new Set(['StartError', 'ContainerCannotRun']);

/**
 * Returns the problems of the containers of a pod, init containers and sidecars included. `events`
 * are those of the pod.
 */
export function containerProblems(pod: KubeObject, events: readonly KubeObject[]): Problem[] {
  const statuses = [...listAt(pod, 'status', 'initContainerStatuses'), ...listAt(pod, 'status', 'containerStatuses')];
  return statuses.flatMap((status) => {
    const problem = waitingProblem(status, events) ?? exitProblem(status, pod) ?? unreadyProblem(status, events);
    return problem === undefined ? [] : [{ ...problem, container: stringAt(status, 'name') ?? '' }];
  });
}

function waitingProblem(status: unknown, events: readonly KubeObject[]): Problem | undefined {
  const reason = stringAt(status, 'state', 'waiting', 'reason');
  if (reason === undefined || settingUp.has(reason)) return undefined;
  const message = stringAt(status, 'state', 'waiting', 'message') ?? '';
  const last = fieldAt(status, 'lastState', 'terminated');
  if (reason === 'CrashLoopBackOff') {
    const code = startErrors.has(stringAt(last, 'reason') ?? '') ? 'container_not_started' : 'crash_loop';
    // the message of the API has only the pod's name, its uid and the growing delay
    const text = last === undefined ? message : `last ${exitText(last)}, ${restartsText(status)}`;
    return { code, text: joined(reason, text), failures: failuresOf(status), ...exitOf(last) };
  }
  const failedPull = newestWarningEvent(events, (event, text) => event === 'Failed' && isFailedPull(text));
  const image = imageProblem(reason, `${message} ${stringAt(failedPull, 'message') ?? ''}`);
  if (image !== undefined) {
    return { code: image, text: joined(reason, message), ...(failedPull && { failures: timesSeen(failedPull) }) };
  }
  return {
    code: startCode(reason, message),
    text: joined(reason, message),
    ...(last !== undefined && { failures: failuresOf(status) }),
  };
}

function isFailedPull(message: string): boolean {
  return message.startsWith('Failed to pull image');
}

/** The kubelet has not read a ConfigMap or Secret in time, which may exist. */
const unreadConfig = /^failed to sync (?:configmap|secret) cache: /;

function startCode(reason: string, message: string): ProblemCode {
  if (reason !== 'CreateContainerConfigError' || unreadConfig.test(message)) return 'container_not_started';
  return 'config_error';
}

function exitProblem(status: unknown, pod: KubeObject): Problem | undefined {
  const terminated = fieldAt(status, 'state', 'terminated');
  if ((integerAt(terminated, 'exitCode') ?? 0) === 0) return undefined;
  const isOver = stringAt(pod, 'spec', 'restartPolicy') === 'Never' || stringAt(pod, 'status', 'phase') === 'Failed';
  const text = joined('Terminated', exitText(terminated));
  return isOver
    ? { code: 'container_failed', text }
    : { code: 'crash_loop', text, failures: failuresOf(status), ...exitOf(terminated) };
}

/** The problem of a running container that is not ready: an earlier crash, or a failing probe. */
function unreadyProblem(status: unknown, events: readonly KubeObject[]): Problem | undefined {
  if (fieldAt(status, 'state', 'running') === undefined || fieldAt(status, 'ready') !== false) return undefined;
  const last = fieldAt(status, 'lastState', 'terminated');
  if (last !== undefined) {
    const text = joined('NotReady', `last ${exitText(last)}, ${restartsText(status)}`);
    return { code: 'crash_loop', text, failures: failuresOf(status), ...exitOf(last), running: true };
  }
  const event = newestWarningEvent(events, (reason) => reason === 'Unhealthy');
  return event && { code: 'probe_failed', text: textOfEvent(event), failures: timesSeen(event) };
}

function exitOf(terminated: unknown): Pick<Problem, 'exit'> {
  const code = integerAt(terminated, 'exitCode');
  const reason = stringAt(terminated, 'reason');
  return code === undefined
    ? {}
    : { exit: reason === undefined || reason === 'Error' ? `${code}` : `${code} ${reason}` };
}

/** Returns the number of runs that have ended. */
function failuresOf(status: unknown): number {
  const restarts = integerAt(status, 'restartCount') ?? 0;
  return fieldAt(status, 'state', 'running') === undefined ? restarts + 1 : restarts;
}
