import type { Host } from '../../go/host.ts';
import { identityOf } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { steeredBy } from '../../readiness/index.ts';
import type { SeenObject } from '../apply/seen-object.ts';
import { epochMilliseconds } from '../clock.ts';
import { OperationError } from '../error.ts';
import type { ResourceStatus, ResourceStatusName } from '../progress.ts';
import type { StepTools } from '../steps/step-runner.ts';
import type { Judgement } from './judge.ts';
import { statusReport, withSince } from './report.ts';
import { type ObjectWatches, type WatchGroup, watchObjects, type WatchOptions } from './watches.ts';

/** A wait for one status of all objects. */
interface StatusWait extends StatusRules, Pick<WatchOptions, 'labelled'> {
  wanted: ResourceStatusName;
  /** Identities of objects that have the wanted status and need no watch. Default: none. */
  unwatched?: ReadonlySet<string>;
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
  const needsWatch = ({ ref }: SeenObject) => wait.unwatched?.has(identityOf(ref)) !== true;
  const known = wait.objects.filter((seen) => !needsWatch(seen));
  const remainingOf = (statuses: readonly ResourceStatus[]) => statuses.filter(({ status }) => status !== wait.wanted);
  await judgeUntil(watches, tools, host, {
    ...wait,
    objects: wait.objects.filter(needsWatch),
    fixed: known.map(({ ref }) => ({ ...ref, status: wait.wanted })),
    areDeleted: wait.wanted === 'NotFound',
    next(statuses) {
      const remaining = remainingOf(statuses);
      return remaining.length === 0 ? 'end' : wait.check?.(remaining);
    },
    interrupt(statuses) {
      throw interruption(tools.signal.reason, remainingOf(statuses), wait);
    },
  });
}

function interruption(reason: unknown, remaining: readonly ResourceStatus[], wait: StatusWait): unknown {
  if (!(reason instanceof OperationError)) return reason;
  const message = [reason.message, ...remaining.map((resource) => wait.describe(resource))].join('\n');
  return new OperationError(reason.code, message, { cause: reason, resources: remaining });
}

interface StatusWatch extends StatusRules, WatchOptions {
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
): Promise<readonly ResourceStatus[]> {
  return await judgeUntil(watches, tools, host, {
    ...watch,
    next: () => (tools.signal.aborted ? 'end' : undefined),
  });
}

interface Loop extends StatusWatch {
  /** Returns whether the loop ends, or the milliseconds after which to call it again. */
  next(statuses: readonly ResourceStatus[]): 'end' | number | undefined;
  /** Called when the signal has aborted during a pause, with the statuses before it. */
  interrupt?(statuses: readonly ResourceStatus[]): void;
}

/** Judges objects each time that one changes, and reports their statuses. Returns the last ones. */
async function judgeUntil(
  watches: WatchGroup,
  tools: StepTools,
  host: Host,
  loop: Loop,
): Promise<readonly ResourceStatus[]> {
  const report = statusReport(tools);
  const objects = watchObjects(watches, loop);
  const nextRound = statusRounds(objects, loop);
  try {
    for (;;) {
      const now = epochMilliseconds(host);
      const round = nextRound(now);
      const statuses = [...loop.fixed, ...round.statuses];
      const nextReport = round.isComplete ? report.update(statuses, now) : undefined;
      const next = loop.next(statuses);
      if (next === 'end') return statuses;
      await watches.nextChange(earliestOf([nextReport, next, round.changesIn]));
      if (tools.signal.aborted) loop.interrupt?.(statuses);
    }
  } finally {
    report.flush();
  }
}

/** The objects of a wait, and the rules for their statuses. */
interface StatusRules {
  /** None is shown in a state that is older than the version with which it was seen. */
  objects: readonly SeenObject[];
  /**
   * Judges an object, which is undefined if it does not exist. Its annotations that steer a wait
   * are those with which it was applied.
   */
  judge(object: KubeObject | undefined, ref: ObjectRef, previous: ResourceStatus | undefined): Judgement;
  /** Returns the milliseconds by which the API server's clock is ahead. Default: 0. */
  clockOffset?(): number;
  /** Returns a number that grows when objects change that the status of this one depends on. */
  relatedVersion?(ref: ObjectRef): number;
  /** Judges an object that the API server refuses to show. Default: the refusal is thrown. */
  judgeRefused?(ref: ObjectRef, refusal: Error): Judgement;
}

interface Round {
  /** In the order of the objects. Those that are not known yet are `Unknown`. */
  statuses: readonly ResourceStatus[];
  /** Whether all objects are known. */
  isComplete: boolean;
  /** Milliseconds after which a status may change although no object does. */
  changesIn: number | undefined;
}

/** An object as it was judged last. */
interface Judged {
  object: KubeObject | Error | undefined | 'unknown';
  related: number | undefined;
  /** When to judge it again, in milliseconds since the Unix epoch. */
  due: number;
  status: ResourceStatus;
}

/** Returns a function that judges the objects which have changed since its last call. */
function statusRounds(watches: ObjectWatches, rules: StatusRules): (now: number) => Round {
  let judged: Judged[] = [];
  return (now) => {
    judged = rules.objects.map((seen, index) =>
      judge(rules, seen, found(watches, seen, rules, now), judged[index], now),
    );
    return {
      statuses: judged.map(({ status }) => status),
      isComplete: judged.every(({ object }) => object !== 'unknown'),
      changesIn: earliestOf([...judged.map(({ due }) => due - now), watches.nextLook(now)]),
    };
  };
}

function found(watches: ObjectWatches, seen: SeenObject, rules: StatusRules, now: number): Judged['object'] {
  try {
    return watches.find(seen, now);
  } catch (error) {
    if (rules.judgeRefused === undefined || !(error instanceof Error)) throw error;
    return error;
  }
}

function judge(
  rules: StatusRules,
  seen: SeenObject,
  object: Judged['object'],
  last: Judged | undefined,
  now: number,
): Judged {
  const { ref } = seen;
  const related = rules.relatedVersion?.(ref);
  if (last !== undefined && last.object === object && last.related === related && now < last.due) return last;
  if (object === 'unknown') return { object, related, due: Infinity, status: { ...ref, status: 'Unknown' } };
  const previous = last?.object === 'unknown' ? undefined : last?.status;
  const judged = judgementOf(rules, object, seen, last?.status);
  const status = withSince(judged.status, object instanceof Error ? undefined : object, {
    previous,
    now,
    clockOffset: rules.clockOffset?.() ?? 0,
  });
  // judging an object for the first time may start watches
  return { object, related: rules.relatedVersion?.(ref), due: now + (judged.changesIn ?? Infinity), status };
}

function judgementOf(
  rules: StatusRules,
  object: KubeObject | Error | undefined,
  { ref, steering }: SeenObject,
  previous: ResourceStatus | undefined,
): Judgement {
  if (!(object instanceof Error)) return rules.judge(object && steeredBy(object, steering), ref, previous);
  return rules.judgeRefused?.(ref, object) ?? { status: { ...ref, status: 'Unknown', reason: object.message } };
}

/** Returns the shortest of some delays, or undefined if there is none. */
export function earliestOf(delays: readonly (number | undefined)[]): number | undefined {
  const delay = Math.min(...delays.map((one) => one ?? Infinity));
  return delay === Infinity ? undefined : delay;
}
