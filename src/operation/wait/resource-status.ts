import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { diagnose } from '../../readiness/diagnosis.ts';
import { readinessOf } from '../../readiness/readiness.ts';
import type { ReadinessOptions } from '../../readiness/status.ts';
import type { Surroundings } from '../../readiness/surroundings.ts';
import type { ResourceStatus } from '../progress.ts';

/** What is known of a resource: its status, and why it is not ready. */
export function resourceStatus(
  ref: ObjectRef,
  object: KubeObject | undefined,
  around: (workload: KubeObject) => Surroundings,
  options: ReadinessOptions,
): ResourceStatus {
  if (object === undefined) return { ...ref, status: 'NotFound', reason: 'Resource not found' };
  if (isPaused(object)) return { ...ref, status: 'Current' };
  const { status, message } = readinessOf(object, options);
  if (status === 'Current') return { ...ref, status };
  return { ...ref, status, reason: diagnose(object, around(object)) ?? message };
}

/** Helm does not wait for a Deployment that somebody paused: it would never move. */
function isPaused({ kind, spec }: KubeObject): boolean {
  return kind === 'Deployment' && typeof spec === 'object' && spec !== null && 'paused' in spec && spec.paused === true;
}

/** Helm's sentence for a resource that was waited for in vain. */
export function notReadyText({ kind, namespace = '', name, status, reason = 'not seen yet' }: ResourceStatus): string {
  return `resource ${kind}/${namespace}/${name} not ready. status: ${status}, message: ${reason}`;
}
