import { groupKind } from '../objects/group-kind.ts';
import type { KubeObject } from '../objects/object.ts';
import { legacyReadiness } from './legacy.ts';
import { ownReadiness } from './own-rules.ts';
import { readinessOf } from './readiness.ts';
import { current, type Readiness, type ReadinessOptions } from './status.ts';
import { eventsOf, type Surroundings } from './surroundings.ts';
import { isUnusedClaim } from './unused-claim.ts';
import { isWebhookKind, webhookReadiness } from './webhooks.ts';

/**
 * Returns the status of an object by the rules of a wait: those of the user, or those of the
 * strategy. Beyond kstatus, the default strategy knows what only the surroundings show.
 */
export function waitReadiness(
  object: KubeObject,
  surroundingsOf: (workload: KubeObject) => Surroundings,
  options: ReadinessOptions,
): Readiness {
  if (options.strategy === 'legacy') {
    return ownReadiness(object, options.rules ?? []) ?? legacyReadiness(object, options, surroundingsOf);
  }
  const readiness = readinessOf(object, options);
  const kind = groupKind(object);
  if (kind === 'PersistentVolumeClaim' && readiness.status === 'InProgress') {
    const isUnused = isUnusedClaim(object, eventsOf(surroundingsOf(object).events, object));
    return isUnused ? current('PVC waits for its first pod') : readiness;
  }
  if (isWebhookKind(kind) && readiness.status === 'Current') {
    return webhookReadiness(object, surroundingsOf(object).endpointSlices ?? []) ?? readiness;
  }
  return readiness;
}
