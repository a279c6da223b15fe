import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../objects/object.ts';
import { lastChangeOf } from '../../readiness/last-change.ts';
import type { ResourceStatus } from '../resource-status.ts';

/**
 * Adds the time of the last change to a status. Without an earlier status, it is that of the
 * object's conditions, or now. All times are by the own clock.
 */
export function withSince(
  status: ResourceStatus,
  object: KubeObject | undefined,
  { previous, now, clockOffset = 0 }: { previous?: ResourceStatus | undefined; now: number; clockOffset?: number },
): ResourceStatus {
  if (previous !== undefined && !differs(status, previous)) {
    return previous.since === undefined ? status : { ...status, since: previous.since };
  }
  const changed = previous === undefined && object !== undefined ? lastChangeOf(object) : undefined;
  return { ...status, since: new Date(Math.min((changed ?? Infinity) - clockOffset, now)).toISOString() };
}

/** Whether status, reason or counts of a resource differ. */
export function differs(a: ResourceStatus, b: ResourceStatus): boolean {
  return a.status !== b.status || a.reason !== b.reason || !isDeepStrictEqual(a.counts, b.counts);
}
