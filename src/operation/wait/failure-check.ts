import { identityOf } from '../../objects/group-kind.ts';
import type { ObjectRef } from '../../objects/object.ts';
import { isCustomKind } from '../../readiness/custom-resource.ts';
import { hopeless, type Suspicions, type WaitedResource } from '../../readiness/verdict.ts';
import { OperationError } from '../error.ts';
import type { ResourceStatus } from '../progress.ts';
import { notReadyText } from './not-ready-text.ts';

export interface FailureCheckOptions {
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
  grace: number,
  { clock, reasonsAreListed }: FailureCheckOptions,
): (remaining: readonly ResourceStatus[]) => number | undefined {
  const creators = new Set(refs.filter(isCustomKind).map(identityOf));
  let suspicions: Suspicions = new Map();
  let failingSince: number | undefined;
  return (remaining) => {
    const now = clock();
    const waited = remaining.map((resource) => waitedResource(resource, remaining, creators));
    const verdict = hopeless(waited, suspicions, { now, grace });
    suspicions = verdict.suspicions;
    const failed = remaining.filter((resource) => verdict.ids.includes(identityOf(resource)));
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

function waitedResource(
  resource: ResourceStatus,
  remaining: readonly ResourceStatus[],
  creators: ReadonlySet<string>,
): WaitedResource {
  const { problem } = resource;
  const isLowered =
    problem?.code === 'config_error' && problem.class === 'fatal' && mayBeCreated(resource, remaining, creators);
  return { id: identityOf(resource), problem: problem && { ...problem, class: isLowered ? 'likely' : problem.class } };
}

/**
 * Whether a missing ConfigMap or Secret may still be created: by the controller of a custom
 * resource, or by a Job.
 */
function mayBeCreated(
  resource: ResourceStatus,
  remaining: readonly ResourceStatus[],
  creators: ReadonlySet<string>,
): boolean {
  return creators.size > 0 || remaining.some((other) => other.kind === 'Job' && other !== resource);
}
