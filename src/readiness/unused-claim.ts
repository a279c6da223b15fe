import { stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import { eventTime } from './surroundings.ts';

/**
 * Whether nothing uses a PersistentVolumeClaim whose class binds it to a volume only for its first
 * pod. `events` are those about the claim: the newest one says what it waits for.
 */
export function isUnusedClaim(claim: KubeObject, events: readonly KubeObject[]): boolean {
  if (stringAt(claim, 'status', 'phase') !== 'Pending') return false;
  const newest = events.toSorted((a, b) => eventTime(a) - eventTime(b)).at(-1);
  return newest !== undefined && stringAt(newest, 'reason') === 'WaitForFirstConsumer';
}
