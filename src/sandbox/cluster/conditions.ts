import { type JsonObject, objectsAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { timestamp } from '../sandbox-host.ts';
import type { ClusterState } from './cluster-state.ts';

export interface Condition extends JsonObject {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export function conditionsOf(object: KubeObject): Condition[] {
  // Written by the sandbox, or by a client in place of a controller.
  return objectsAt(object, 'status', 'conditions') as Condition[];
}

/**
 * Returns the conditions with some of them replaced. `lastTransitionTime` changes only if the
 * status does.
 */
export function withConditions(state: ClusterState, before: readonly Condition[], ...set: Condition[]): Condition[] {
  const now = timestamp(state.host);
  const changed = set.map((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    const same = old?.status === condition.status;
    return { ...condition, lastTransitionTime: same ? (old.lastTransitionTime ?? now) : now };
  });
  const kept = before.filter(({ type }) => !set.some((condition) => condition.type === type));
  return [...kept, ...changed];
}
