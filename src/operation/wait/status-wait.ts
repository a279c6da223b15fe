import type { Host } from '../../go/host.ts';
import { identityOf } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import type { SeenObject } from '../apply/seen-object.ts';
import { OperationError } from '../error.ts';
import type { ResourceStatus, ResourceStatusName } from '../progress.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { watchObjects } from './object-watches.ts';
import { statusReport } from './status-report.ts';
import type { WatchGroup } from './watch-group.ts';
import { epochMilliseconds } from '../clock.ts';

/** The status of an object, and when it has to be judged again. */
export interface Judgement {
  status: ResourceStatus;
  /** Milliseconds after which the status may change although nothing else does. Default: never. */
  changesIn?: number | undefined;
}

/** The objects of a wait, and the rules for their statuses. */
export interface StatusWait {
  /** None is shown in a state that is older than the version with which it was seen. */
  objects: readonly SeenObject[];
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
  /** Judges an object, which is undefined if it does not exist. */
  judge(object: KubeObject | undefined, ref: ObjectRef, previous: ResourceStatus | undefined): Judgement;
  /** Returns a number that grows when objects change that the status of this one depends on. */
  surroundingsVersion?(ref: ObjectRef): number;
  /**
   * Throws if it makes no sense to wait longer. Returns the milliseconds after which to check
   * again.
   */
  check?(remaining: readonly ResourceStatus[]): number | undefined;
  /** Returns a line for the error of an interrupted wait. */
  describe(remaining: ResourceStatus): string;
}

/** An object as it was judged last. */
interface Judged {
  object: KubeObject | undefined | 'unknown';
  surroundings: number | undefined;
  /** When to judge it again, in milliseconds since the Unix epoch. */
  due: number;
  status: ResourceStatus;
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
  const objects = watchObjects(watches, wait.labelled);
  const report = statusReport(tools);
  const clock = () => epochMilliseconds(host);
  const isSettled = ({ ref }: SeenObject) => wait.settled?.has(identityOf(ref)) === true;
  const settled = wait.objects.filter(isSettled).map(({ ref }): ResourceStatus => ({ ...ref, status: wait.wanted }));
  const open = wait.objects.filter((seen) => !isSettled(seen));
  let judged: Judged[] = [];
  try {
    for (;;) {
      const now = clock();
      judged = open.map((seen, index) => judge(wait, seen, objects.find(seen, now), judged[index], now));
      const statuses = [...settled, ...judged.map(({ status }) => status)];
      const isComplete = statuses.every(({ status }) => status !== 'Unknown');
      const nextReport = isComplete ? report.update(statuses, now) : undefined;
      const remaining = statuses.filter(({ status }) => status !== wait.wanted);
      if (remaining.length === 0) return;
      const nextCheck = wait.check?.(remaining);
      const nextJudgement = Math.min(...judged.map(({ due }) => due)) - now;
      await watches.nextChange(earliest([nextReport, nextCheck, nextJudgement, objects.nextLook(now)]));
      if (tools.signal.aborted) throw interruption(tools.signal.reason, remaining, wait);
    }
  } finally {
    report.flush();
  }
}

function judge(
  wait: StatusWait,
  { ref }: SeenObject,
  object: Judged['object'],
  last: Judged | undefined,
  now: number,
): Judged {
  const surroundings = wait.surroundingsVersion?.(ref);
  if (last !== undefined && last.object === object && last.surroundings === surroundings && now < last.due) return last;
  if (object === 'unknown') return { object, surroundings, due: Infinity, status: { ...ref, status: 'Unknown' } };
  const { status, changesIn = Infinity } = wait.judge(object, ref, last?.status);
  // judging an object for the first time may start watches
  return { object, surroundings: wait.surroundingsVersion?.(ref), due: now + changesIn, status };
}

function earliest(delays: readonly (number | undefined)[]): number | undefined {
  const delay = Math.min(...delays.map((one) => one ?? Infinity));
  return delay === Infinity ? undefined : delay;
}

function interruption(reason: unknown, remaining: readonly ResourceStatus[], wait: StatusWait): unknown {
  if (!(reason instanceof OperationError)) return reason;
  const message = [reason.message, ...remaining.map((resource) => wait.describe(resource))].join('\n');
  return new OperationError(reason.code, message, { cause: reason, resources: remaining });
}
