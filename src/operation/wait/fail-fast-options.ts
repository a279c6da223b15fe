import { stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { classOf, type FailFast, type FailFastLevel } from '../../readiness/fail-fast.ts';
import type { Problem } from '../../readiness/problem.ts';
import type { ResourceProblem, ResourceStatus } from '../progress.ts';

/** When a wait ends before its deadline. */
export interface FailFastOptions {
  /**
   * The problems that end a wait, or the classes of some that differ from the usual ones. Default:
   * `likely`.
   */
  failFast?: FailFastLevel | FailFast['classes'];
  /**
   * Time after which a problem that is likely to last ends the wait, in milliseconds. Default:
   * 60,000, and at most half of the time limit of the operation.
   */
  failGrace?: number;
}

const defaultGrace = 60_000;

/** Returns the settings for a wait in an operation with a time limit in milliseconds. */
export function failFastOf({ failFast = 'likely', failGrace }: FailFastOptions, timeout: number): FailFast {
  const grace = failGrace ?? Math.min(defaultGrace, timeout / 2);
  return typeof failFast === 'string'
    ? { level: failFast, classes: {}, grace }
    : { level: 'likely', classes: failFast, grace };
}

/**
 * Returns a problem with its class for a resource. A resource that has failed by its own status
 * ends every wait. Kstatus calls a pod failed that may still start or get a node, so the class of
 * its problem counts.
 */
export function judgedProblem(
  object: KubeObject,
  status: ResourceStatus['status'],
  problem: Problem | undefined,
  failFast: FailFast,
): ResourceProblem | undefined {
  if (problem === undefined && status !== 'Failed') return undefined;
  const { code = 'failed', failures, cause } = problem ?? {};
  const isOpen =
    object.kind === 'Pod' && failFast.level !== 'never' && stringAt(object, 'status', 'phase') !== 'Failed';
  const isFinal = status === 'Failed' && !isOpen;
  const found = isFinal ? 'fatal' : classOf(object, code, failFast);
  return { code, class: found, ...(failures !== undefined && { failures }), ...(cause && { cause }) };
}
