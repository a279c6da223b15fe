import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { problemOf } from '../../readiness/diagnosis.ts';
import type { FailFast } from '../../readiness/fail-fast.ts';
import { replicaCounts } from '../../readiness/replica-counts.ts';
import type { ReadinessOptions } from '../../readiness/status.ts';
import type { Surroundings } from '../../readiness/surroundings.ts';
import { waitReadiness } from '../../readiness/wait-readiness.ts';
import type { ResourceStatus } from '../progress.ts';
import { judgedProblem } from './fail-fast-options.ts';

/** The status of an object, and when it has to be judged again. */
export interface Judgement {
  status: ResourceStatus;
  /** Milliseconds after which the status may change although nothing else does. Default: never. */
  changesIn?: number | undefined;
}

export interface JudgeOptions extends ReadinessOptions {
  failFast: FailFast;
}

/** Returns the status of an object, the reason if it is not ready, and when to judge it again. */
export function judgeReadiness(
  ref: ObjectRef,
  object: KubeObject | undefined,
  surroundingsOf: (workload: KubeObject) => Surroundings,
  options: JudgeOptions,
): Judgement {
  if (object === undefined) return { status: { ...ref, status: 'NotFound', reason: 'Resource not found' } };
  const found = replicaCounts(object);
  const counts = found && { counts: found };
  const { status, message, changesIn } = waitReadiness(object, surroundingsOf, options);
  if (status === 'Current') return { status: { ...ref, status, ...counts } };
  const cause = problemOf(object, surroundingsOf(object));
  const problem = judgedProblem(object, status, cause, options.failFast);
  const reason = cause?.text ?? message;
  return { status: { ...ref, status, reason, ...(problem && { problem }), ...counts }, changesIn };
}

/** Judges an object again. A Job that had completed stays so if it is deleted. */
export function judgeAgain(
  ref: ObjectRef,
  object: KubeObject | undefined,
  surroundingsOf: (workload: KubeObject) => Surroundings,
  { previous, ...options }: JudgeOptions & { previous: ResourceStatus | undefined },
): Judgement {
  const judgement = judgeReadiness(ref, object, surroundingsOf, options);
  return previous && isCompletedJobGone(judgement.status, previous) ? { status: previous } : judgement;
}

/** Whether a Job that had completed was deleted, which its time to live does. */
function isCompletedJobGone({ kind, status }: ResourceStatus, previous: ResourceStatus): boolean {
  return kind === 'Job' && (status === 'NotFound' || status === 'Terminating') && previous.status === 'Current';
}
