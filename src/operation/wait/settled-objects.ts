import { identityOf } from '../../objects/group-kind.ts';
import type { ObjectRef } from '../../objects/object.ts';
import type { AppliedStatus } from '../../readiness/applied-status.ts';

/** Statuses of objects as the responses to their writes show them, by identity. */
export type AppliedStatuses = ReadonlyMap<string, AppliedStatus>;

/**
 * Returns the identities of the objects that need no watch: all of them if each one was current
 * when it was written, and else those that stay current. If readiness must last, only the latter.
 */
export function settledObjects(
  refs: readonly ObjectRef[],
  statuses: AppliedStatuses,
  mustLast = false,
): ReadonlySet<string> {
  const identities = refs.map(identityOf);
  const areCurrent = !mustLast && identities.every((identity) => (statuses.get(identity) ?? 'open') !== 'open');
  return new Set(areCurrent ? identities : identities.filter((identity) => statuses.get(identity) === 'steady'));
}
