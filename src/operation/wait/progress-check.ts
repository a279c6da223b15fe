import { identityOf } from '../../objects/group-kind.ts';
import { OperationError } from '../error.ts';
import type { ResourceStatus } from '../resource-status.ts';
import { durationText } from '../steps/time-limit.ts';
import { notReadyText } from './not-ready-text.ts';

/**
 * Returns a check that throws `timeout` if nothing has come closer to readiness for some
 * milliseconds. It returns those that are left. A resource that becomes ready once more after a
 * failure does not count.
 */
export function progressCheck(deadline: number, clock: () => number): (remaining: readonly ResourceStatus[]) => number {
  const best = new Map<string, number>();
  let fewest = Infinity;
  let progressAt = clock();
  return (remaining) => {
    const now = clock();
    for (const resource of remaining) {
      const { updated = 0, ready = 0 } = resource.counts ?? {};
      const before = best.get(identityOf(resource)) ?? 0;
      if (updated + ready > before) progressAt = now;
      best.set(identityOf(resource), Math.max(before, updated + ready));
    }
    if (remaining.length < fewest) progressAt = now;
    fewest = Math.min(fewest, remaining.length);
    const left = progressAt + deadline - now;
    if (left > 0) return left;
    const message = [`no progress for ${durationText(deadline)}`, ...remaining.map(notReadyText)].join('\n');
    throw new OperationError('timeout', message, { resources: remaining });
  };
}
