import { stringAt } from '../objects/fields.ts';
import { groupKind } from '../objects/group-kind.ts';
import type { KubeObject } from '../objects/object.ts';
import { legacyReadiness } from './legacy.ts';
import { ownReadiness } from './own-rules.ts';
import { readinessOf } from './readiness.ts';
import { eventsOf, eventTime, type RelatedObjects } from './related-objects.ts';
import { current, type Readiness, type ReadinessOptions } from './status.ts';
import { isWebhookKind, webhookReadiness } from './webhooks.ts';

/**
 * Returns the status of an object by the rules of a wait: those of the user, or those of the
 * strategy. Beyond kstatus, the default strategy knows what only related objects show.
 */
export function waitReadiness(
  object: KubeObject,
  relatedTo: (workload: KubeObject) => RelatedObjects,
  options: ReadinessOptions,
): Readiness {
  if (options.strategy === 'legacy') {
    return ownReadiness(object, options.rules ?? []) ?? legacyReadiness(object, options, relatedTo);
  }
  const readiness = readinessOf(object, options);
  const kind = groupKind(object);
  if (kind === 'PersistentVolumeClaim' && readiness.status === 'InProgress') {
    const isUnused = isUnusedClaim(object, eventsOf(relatedTo(object).events, object));
    return isUnused ? current('PVC waits for its first pod') : readiness;
  }
  if (isWebhookKind(kind) && readiness.status === 'Current') {
    return webhookReadiness(object, relatedTo(object).endpointSlices ?? []) ?? readiness;
  }
  return readiness;
}

/**
 * Whether nothing uses a PersistentVolumeClaim whose class binds it to a volume only for its first
 * pod. `events` are those about the claim: the newest one says what it waits for.
 */
function isUnusedClaim(claim: KubeObject, events: readonly KubeObject[]): boolean {
  if (stringAt(claim, 'status', 'phase') !== 'Pending') return false;
  const newest = events.toSorted((a, b) => eventTime(a) - eventTime(b)).at(-1);
  return newest !== undefined && stringAt(newest, 'reason') === 'WaitForFirstConsumer';
}
