import type { Host } from '../../go/host.ts';
import { identityOf } from '../../objects/group-kind.ts';
import { epochMilliseconds } from '../clock.ts';
import type { SeenObject } from '../apply/seen-object.ts';
import { OperationError } from '../error.ts';
import type { ResourceStatus, ResourceStatusName } from '../progress.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { earliestOf } from './earliest.ts';
import { watchObjects } from './object-watches.ts';
import { statusReport } from './status-report.ts';
import { statusRounds, type StatusRules } from './status-rounds.ts';
import type { WatchGroup } from './watch-group.ts';

export interface StatusWait extends StatusRules {
  /**
   * Whether all objects have Helm's label, as all but hooks do. If so, one watch follows all
   * objects of a kind.
   */
  labelled: boolean;
  wanted: ResourceStatusName;
  /**
   * Identities of objects that are known to have the wanted status. They are not watched. Default:
   * none.
   */
  settled?: ReadonlySet<string>;
  /**
   * Throws if it makes no sense to wait longer. Returns the milliseconds after which to check
   * again.
   */
  check?(remaining: readonly ResourceStatus[]): number | undefined;
  /** Returns a line for the error of an interrupted wait. */
  describe(remaining: ResourceStatus): string;
}

/**
 * Waits until all objects have the wanted status. Reports all statuses at first, then those that
 * change, or whose reason does. When the step's signal aborts, throws an error with the code of its
 * reason and the remaining objects. Fails if the API server refuses a watch.
 */
export async function waitForStatus(
  watches: WatchGroup,
  tools: StepTools,
  host: Host,
  wait: StatusWait,
): Promise<void> {
  const report = statusReport(tools);
  const isSettled = ({ ref }: SeenObject) => wait.settled?.has(identityOf(ref)) === true;
  const settled = wait.objects.filter(isSettled).map(({ ref }): ResourceStatus => ({ ...ref, status: wait.wanted }));
  const open = wait.objects.filter((seen) => !isSettled(seen));
  const objects = watchObjects(watches, () => wait.labelled);
  const nextRound = statusRounds(objects, { ...wait, objects: open });
  try {
    for (;;) {
      const now = epochMilliseconds(host);
      const round = nextRound(now);
      const statuses = [...settled, ...round.statuses];
      const nextReport = round.isComplete ? report.update(statuses, now) : undefined;
      const remaining = statuses.filter(({ status }) => status !== wait.wanted);
      if (remaining.length === 0) return;
      const nextCheck = wait.check?.(remaining);
      await watches.nextChange(earliestOf([nextReport, nextCheck, round.changesIn]));
      if (tools.signal.aborted) throw interruption(tools.signal.reason, remaining, wait);
    }
  } finally {
    report.flush();
  }
}

function interruption(reason: unknown, remaining: readonly ResourceStatus[], wait: StatusWait): unknown {
  if (!(reason instanceof OperationError)) return reason;
  const message = [reason.message, ...remaining.map((resource) => wait.describe(resource))].join('\n');
  return new OperationError(reason.code, message, { cause: reason, resources: remaining });
}
