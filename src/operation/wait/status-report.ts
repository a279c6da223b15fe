import { identityOf } from '../../objects/group-kind.ts';
import type { ResourceStatus } from '../progress.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { differs } from './with-since.ts';

/** Reports the statuses of a wait as they change. */
export interface StatusReport {
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
