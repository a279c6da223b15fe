import { isDeepStrictEqual } from 'node:util';
import { identityOf } from '../../objects/group-kind.ts';
import type { KubeObject } from '../../objects/object.ts';
import { lastChangeOf } from '../../readiness/index.ts';
import type { ResourceStatus } from '../progress.ts';
import type { StepTools } from '../steps/step-runner.ts';

/** Reports the statuses of a wait as they change. */
interface StatusReport {
  /**
   * Reports what has changed, or nothing if the last report was just before. Returns the
   * milliseconds after which the rest is to be reported.
   */
  update(statuses: readonly ResourceStatus[], now: number): number | undefined;
  /** Reports what has changed now. */
  flush(): void;
}

/** Shortest time between two reports, in milliseconds. */
const interval = 100;

/** Returns a report without statuses. The first update reports all. */
export function statusReport(tools: Pick<StepTools, 'report'>): StatusReport {
  const reported = new Map<string, ResourceStatus>();
  let current: readonly ResourceStatus[] = [];
  let last = -Infinity;

  const changes = () =>
    current.filter((resource) => {
      const before = reported.get(identityOf(resource));
      return before === undefined || differs(resource, before);
    });

  function report(changed: ResourceStatus[]): void {
    if (changed.length === 0) return;
    for (const resource of changed) reported.set(identityOf(resource), resource);
    tools.report({ resources: changed });
  }

  return {
    update(statuses, now) {
      current = statuses;
      const changed = changes();
      if (changed.length === 0) return undefined;
      if (now - last < interval) return last + interval - now;
      last = now;
      report(changed);
      return undefined;
    },
    flush() {
      report(changes());
    },
  };
}

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
function differs(a: ResourceStatus, b: ResourceStatus): boolean {
  return a.status !== b.status || a.reason !== b.reason || !isDeepStrictEqual(a.counts, b.counts);
}
