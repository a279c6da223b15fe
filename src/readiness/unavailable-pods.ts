import { fieldAt, integerAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';

const defaultShare = '25%';

/**
 * Returns the number of pods that may be unavailable while a Deployment is updated, as its
 * controller computes it (MaxUnavailable in pkg/controller/deployment/util).
 */
export function maxUnavailableOf(deployment: KubeObject): number {
  const replicas = integerAt(deployment, 'spec', 'replicas') ?? 1;
  if (stringAt(deployment, 'spec', 'strategy', 'type') === 'Recreate' || replicas === 0) return 0;
  const settings = fieldAt(deployment, 'spec', 'strategy', 'rollingUpdate');
  const surge = scaled(fieldAt(settings, 'maxSurge') ?? defaultShare, replicas, 'up') ?? 0;
  const unavailable = scaled(fieldAt(settings, 'maxUnavailable') ?? defaultShare, replicas, 'down') ?? 0;
  return surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, replicas);
}

/** Returns `3` or `30%` of a total as a number of pods. Undefined if it is neither. */
export function scaled(value: unknown, total: number, round: 'up' | 'down'): number | undefined {
  if (typeof value === 'number') return value;
  const percent = typeof value === 'string' ? /^(\d+)%$/.exec(value)?.[1] : undefined;
  if (percent === undefined) return undefined;
  const share = (Number(percent) * total) / 100;
  return round === 'up' ? Math.ceil(share) : Math.floor(share);
}
