import { stringAt } from '../../objects/fields.ts';
import { identityOf } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import {
  classOf,
  type ContainerRun,
  containerRuns,
  type FailFast,
  type FailFastLevel,
  isUntouched,
  type Problem,
  problemOf,
  type ReadinessOptions,
  type RelatedObjects,
  replicaCounts,
  unprobedContainers,
  waitReadiness,
} from '../../readiness/index.ts';
import type { ResourceProblem, ResourceStatus } from '../progress.ts';
import { durationText } from '../time-limit.ts';

/** The status of an object, and when it has to be judged again. */
export interface Judgement {
  status: ResourceStatus;
  /** Milliseconds after which the status may change although nothing else does. Default: never. */
  changesIn?: number | undefined;
}

export interface JudgeOptions extends ReadinessOptions {
  failFast: FailFast;
}

/** Returns the status of an object, the reason if it is not ready, and when to judge it again. */
export function judgeReadiness(
  ref: ObjectRef,
  object: KubeObject | undefined,
  relatedTo: (workload: KubeObject) => RelatedObjects,
  options: JudgeOptions,
): Judgement {
  if (object === undefined) return { status: { ...ref, status: 'NotFound', reason: 'Resource not found' } };
  const found = replicaCounts(object);
  const counts = found && { counts: found };
  const { status, message, changesIn } = waitReadiness(object, relatedTo, options);
  if (status === 'Current') return { status: { ...ref, status, ...counts } };
  const cause = problemOf(object, relatedTo(object));
  const problem = judgedProblem(object, status, cause, options.failFast);
  const reason = cause?.text ?? message;
  return { status: { ...ref, status, reason, ...(problem && { problem }), ...counts }, changesIn };
}

/** Judges an object again. A Job that had completed stays so if it is deleted. */
export function judgeAgain(
  ref: ObjectRef,
  object: KubeObject | undefined,
  relatedTo: (workload: KubeObject) => RelatedObjects,
  { previous, ...options }: JudgeOptions & { previous: ResourceStatus | undefined },
): Judgement {
  const judgement = judgeReadiness(ref, object, relatedTo, options);
  return previous && isCompletedJobGone(judgement.status, previous) ? { status: previous } : judgement;
}

/** Whether a Job that had completed was deleted, which its time to live does. */
function isCompletedJobGone({ kind, status }: ResourceStatus, previous: ResourceStatus): boolean {
  return kind === 'Job' && (status === 'NotFound' || status === 'Terminating') && previous.status === 'Current';
}

/** When a wait ends before its deadline. */
export interface FailFastOptions {
  /**
   * The problems that end a wait, or the classes of some that differ from the usual ones. Default:
   * `likely`.
   */
  failFast?: FailFastLevel | FailFast['classes'];
  /**
   * Time after which a problem that is likely to last ends the wait, in milliseconds. Default:
   * 60,000, and at most half of the time limit of the operation; for containers that end in the
   * same way again and again, half of that.
   */
  failGrace?: number;
}

const defaultGrace = 60_000;

/** Share of the default grace after which a container that fails in the same way ends the wait. */
const crashShare = 0.5;

/** Returns the settings for a wait in an operation with a time limit in milliseconds. */
export function failFastOf({ failFast = 'likely', failGrace }: FailFastOptions, timeout: number): FailFast {
  const grace = failGrace ?? Math.min(defaultGrace, timeout / 2);
  const graces = { grace, crashGrace: failGrace ?? grace * crashShare };
  return typeof failFast === 'string'
    ? { level: failFast, classes: {}, ...graces }
    : { level: 'likely', classes: failFast, ...graces };
}

/**
 * Returns a problem with its class for a resource. A resource that has failed by its own status
 * ends every wait. Kstatus calls a pod failed that may still start or get a node, so the class of
 * its problem counts.
 */
function judgedProblem(
  object: KubeObject,
  status: ResourceStatus['status'],
  problem: Problem | undefined,
  failFast: FailFast,
): ResourceProblem | undefined {
  if (problem === undefined && status !== 'Failed') return undefined;
  const { code = 'failed', failures, exit, running, cause } = problem ?? {};
  const isOpen =
    object.kind === 'Pod' && failFast.level !== 'never' && stringAt(object, 'status', 'phase') !== 'Failed';
  const isFinal = status === 'Failed' && !isOpen;
  const found = isFinal ? 'fatal' : classOf(object, code, failFast);
  return {
    code,
    class: found,
    ...(failures !== undefined && { failures }),
    ...(exit !== undefined && { exit }),
    ...(running && { running }),
    ...(cause && { cause }),
  };
}

/** How long resources must stay ready until they count as ready. */
export interface SettleOptions {
  /** Time for which each resource must stay ready, in milliseconds. Default: 0. */
  settle?: number;
  /**
   * Time for which containers without a readiness probe must have run, in milliseconds. One that
   * was restarted must also have run longer than before. Default: 0.
   */
  settleUnprobed?: number;
  /**
   * Time for which the controller of a custom resource may act on a change, in milliseconds, if the
   * resource does not show that it has. Default: 0.
   */
  settleCustom?: number;
}

/** The resourceVersions of the objects that an operation has changed, by identity. */
export type AppliedVersions = ReadonlyMap<string, string>;

/** Longest time that a restarted container must run, in milliseconds. */
const longestRun = 60_000;

/**
 * Returns a function that holds back the readiness of an object until it has lasted. It expects
 * every judgement of the wait. `clockOffset` returns the milliseconds by which the cluster's clock
 * is ahead.
 */
export function stability(
  { settle = 0, settleUnprobed = 0, settleCustom = 0 }: SettleOptions,
  relatedTo: (workload: KubeObject) => RelatedObjects,
  applied: AppliedVersions = new Map(),
  clockOffset: () => number = () => 0,
): (object: KubeObject | undefined, ref: ObjectRef, judgement: Judgement, now: number) => Judgement {
  const readySince = new Map<string, number>();
  const runs = new RunningSince();

  /** Returns the milliseconds until the containers of a ready object have settled. */
  function unprobedTime(object: KubeObject, since: number, now: number): number {
    const names = settleUnprobed === 0 ? [] : unprobedContainers(object);
    if (names.length === 0) return 0;
    const found = containerRuns(object, names, relatedTo(object));
    // the readiness of an object without known pods must last
    if (found === undefined) return since + settleUnprobed - now;
    const local = found.map((run) => ({ ...run, startedAt: run.startedAt - clockOffset() }));
    return Math.max(0, ...runs.times(object, local, now).map(([run, time]) => runTime(run, settleUnprobed) - time));
  }

  return (object, ref, judgement, now) => {
    const id = identityOf(ref);
    if (object === undefined || judgement.status.status !== 'Current') {
      readySince.delete(id);
      if (object !== undefined) runs.starting(object);
      return judgement;
    }
    const since = readySince.get(id) ?? now;
    readySince.set(id, since);
    if (object.kind === 'Job') return judgement; // a Job that has completed stays so
    const version = applied.get(id);
    const isOpen = version !== undefined && settleCustom > 0 && isUntouched(object, version);
    const left = [since + settle - now, unprobedTime(object, since, now), isOpen ? since + settleCustom - now : 0];
    const longest = Math.max(...left);
    if (longest <= 0) return judgement;
    const time = durationText(left[0] === longest ? settle : settleUnprobed);
    const reason = left[2] === longest ? 'its controller has not acted yet' : `ready, and must stay so for ${time}`;
    return { status: { ...judgement.status, status: 'InProgress', reason }, changesIn: longest };
  };
}

function runTime({ lifetimeBefore }: ContainerRun, settle: number): number {
  return lifetimeBefore === 0 ? settle : Math.min(settle + lifetimeBefore, Math.max(longestRun, settle));
}

/**
 * Knows how long containers have run. A start that the wait has seen counts by its own clock, and
 * an earlier one by the clock of the node.
 */
class RunningSince {
  readonly #known = new Map<string, ReadonlyMap<string, number>>();

  /** Notes that a workload is not ready, so that containers that run later have started later. */
  starting({ metadata: { uid = '' } }: KubeObject): void {
    if (!this.#known.has(uid)) this.#known.set(uid, new Map());
  }

  times(
    { metadata: { uid = '' } }: KubeObject,
    runs: readonly ContainerRun[],
    now: number,
  ): [run: ContainerRun, time: number][] {
    const known = this.#known.get(uid);
    const since = runs.map((run) => known?.get(run.id) ?? (known ? now : Math.min(run.startedAt, now)));
    this.#known.set(uid, new Map(runs.map((run, index) => [run.id, since[index] ?? now])));
    return runs.map((run, index) => [run, now - (since[index] ?? now)]);
  }
}
