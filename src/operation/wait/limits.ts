import { identityOf } from '../../objects/group-kind.ts';
import type { ObjectRef } from '../../objects/object.ts';
import {
  failedResources,
  type Graces,
  isCustomKind,
  type SeenProblems,
  type WaitedResource,
} from '../../readiness/index.ts';
import { annotatedDuration } from '../annotated-duration.ts';
import type { ReleaseObject } from '../apply/release-object.ts';
import { OperationError } from '../error.ts';
import type { ResourceStatus } from '../progress.ts';
import { durationText } from '../time-limit.ts';

interface FailureCheckOptions {
  /** Milliseconds of one clock. */
  clock: () => number;
  /** Whether the pods and events that give reasons have been listed. */
  reasonsAreListed: () => boolean;
}

/**
 * Delays of a failure in milliseconds, so that the watches of pods and events can catch up with its
 * reason: if a reason is known, if none is, and if the pods have not been listed yet.
 */
const reasonDelays = { known: 300, unknown: 1000, unlisted: 2000 };

/**
 * Returns a check that throws `not_ready` if the resources that are left have problems that end the
 * wait. It returns the milliseconds after which to check again.
 */
export function failureCheck(
  refs: readonly ObjectRef[],
  graces: Graces,
  { clock, reasonsAreListed }: FailureCheckOptions,
): (remaining: readonly ResourceStatus[]) => number | undefined {
  const hasCustom = refs.some(isCustomKind);
  let seenProblems: SeenProblems = new Map();
  let failingSince: number | undefined;
  return (remaining) => {
    const now = clock();
    const mayBeCreated = creationCheck(remaining, hasCustom);
    const waited = remaining.map((resource) => waitedResource(resource, mayBeCreated(resource)));
    const verdict = failedResources(waited, seenProblems, { now, ...graces });
    seenProblems = verdict.seenProblems;
    const ids = new Set(verdict.ids);
    const failed = remaining.filter((resource) => ids.has(identityOf(resource)));
    if (failed.length === 0) return verdict.changesIn;
    failingSince ??= now;
    const delay = Math.max(...failed.map((resource) => reasonDelay(resource, reasonsAreListed())));
    if (now - failingSince < delay) return failingSince + delay - now;
    throw new OperationError('not_ready', failed.map(notReadyText).join('\n'), { resources: failed });
  };
}

function reasonDelay({ status, problem }: ResourceStatus, isListed: boolean): number {
  if (status !== 'Failed') return 0;
  if (!isListed) return reasonDelays.unlisted;
  const isUnknown =
    problem === undefined ||
    problem.code === 'failed' ||
    (problem.code === 'job_failed' && problem.cause === undefined);
  return isUnknown ? reasonDelays.unknown : reasonDelays.known;
}

function waitedResource(resource: ResourceStatus, mayBeCreated: boolean): WaitedResource {
  const { problem } = resource;
  const isLowered = problem?.code === 'config_error' && problem.class === 'fatal' && mayBeCreated;
  return { id: identityOf(resource), problem: problem && { ...problem, class: isLowered ? 'likely' : problem.class } };
}

/**
 * Returns whether the missing ConfigMap or Secret of a resource may still be created: by the
 * controller of a custom resource, or by another resource that is a Job.
 */
function creationCheck(
  remaining: readonly ResourceStatus[],
  hasCustom: boolean,
): (resource: ResourceStatus) => boolean {
  const jobs = remaining.filter(({ kind }) => kind === 'Job').length;
  return ({ kind }) => hasCustom || jobs > (kind === 'Job' ? 1 : 0);
}

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

/** Annotation of a resource with the time within which it must be ready, as a Go duration. */
const annotation = 'helm-agent/ready-timeout';

/** Times within which resources must be ready, in milliseconds, by identity. */
export type ReadyTimeouts = ReadonlyMap<string, number>;

/** Returns the times of the objects that have the annotation. Throws `invalid_manifest`. */
export function readyTimeouts(objects: readonly ReleaseObject[]): ReadyTimeouts {
  return new Map(
    objects.flatMap(({ object, ref }) => {
      const timeout = annotatedDuration(annotation, object, `${ref.kind} ${ref.name}`);
      return timeout === undefined ? [] : [[identityOf(ref), timeout] as const];
    }),
  );
}

/**
 * Returns a check that throws `timeout` if a resource that is left is over its time. It returns the
 * milliseconds until the next one is.
 */
export function readyTimeoutCheck(
  timeouts: ReadyTimeouts,
  clock: () => number,
): (remaining: readonly ResourceStatus[]) => number | undefined {
  const started = clock();
  return (remaining) => {
    const passed = clock() - started;
    const limited = remaining.flatMap((resource) => {
      const timeout = timeouts.get(identityOf(resource));
      return timeout === undefined ? [] : [{ resource, timeout }];
    });
    const late = limited.filter(({ timeout }) => timeout <= passed);
    if (late.length === 0)
      return limited.length === 0 ? undefined : Math.min(...limited.map(({ timeout }) => timeout)) - passed;
    const texts = late.map(
      ({ resource, timeout }) =>
        `not ready within its time limit of ${durationText(timeout)}: ${notReadyText(resource)}`,
    );
    throw new OperationError('timeout', texts.join('\n'), { resources: late.map(({ resource }) => resource) });
  };
}

/** Returns Helm's message for a resource that is not ready. */
export function notReadyText({ kind, namespace = '', name, status, reason = 'not seen yet' }: ResourceStatus): string {
  return `resource ${kind}/${namespace}/${name} not ready. status: ${status}, message: ${reason}`;
}
