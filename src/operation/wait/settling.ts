import { identityOf } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { isUntouched } from '../../readiness/custom-resource.ts';
import type { Surroundings } from '../../readiness/surroundings.ts';
import { containerRuns, unprobedContainers, type ContainerRun } from '../../readiness/unprobed-containers.ts';
import { durationText } from '../steps/time-limit.ts';
import type { Judgement } from './readiness-judgement.ts';

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
export function settling(
  { settle = 0, settleUnprobed = 0, settleCustom = 0 }: SettleOptions,
  surroundingsOf: (workload: KubeObject) => Surroundings,
  applied: AppliedVersions = new Map(),
  clockOffset: () => number = () => 0,
): (object: KubeObject | undefined, ref: ObjectRef, judgement: Judgement, now: number) => Judgement {
  const readySince = new Map<string, number>();
  const runs = new RunningSince();

  /** Returns the milliseconds until the containers of a ready object have settled. */
  function unprobedTime(object: KubeObject, since: number, now: number): number {
    const names = settleUnprobed === 0 ? [] : unprobedContainers(object);
    if (names.length === 0) return 0;
    const found = containerRuns(object, names, surroundingsOf(object));
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
