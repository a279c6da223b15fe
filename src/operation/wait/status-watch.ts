import type { Host } from '../../go/host.ts';
import type { ObjectRef } from '../../objects/object.ts';
import { epochMilliseconds } from '../clock.ts';
import type { ResourceStatus } from '../progress.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { earliestOf } from './earliest.ts';
import { watchObjects } from './object-watches.ts';
import { statusReport } from './status-report.ts';
import { statusRounds, type StatusRules } from './status-rounds.ts';
import type { WatchGroup } from './watch-group.ts';

export interface StatusWatch extends StatusRules {
  /** Whether an object has Helm's label. If so, one watch follows all objects of its kind. */
  isLabelled(ref: ObjectRef): boolean;
  /** Statuses that do not change, which are reported too. */
  fixed: readonly ResourceStatus[];
}

/**
 * Reports all statuses at first, then those that change, until the step's signal aborts. Returns
 * the last ones.
 */
export async function followStatuses(
  watches: WatchGroup,
  tools: StepTools,
  host: Host,
  watch: StatusWatch,
): Promise<ResourceStatus[]> {
  const report = statusReport(tools);
  const nextRound = statusRounds(
    watchObjects(watches, (ref) => watch.isLabelled(ref)),
    watch,
  );
  for (;;) {
    const now = epochMilliseconds(host);
    const { statuses, isComplete, changesIn } = nextRound(now);
    const all = [...watch.fixed, ...statuses];
    const nextReport = isComplete ? report.update(all, now) : undefined;
    if (tools.signal.aborted) {
      report.flush();
      return all;
    }
    await watches.nextChange(earliestOf([nextReport, changesIn]));
  }
}
