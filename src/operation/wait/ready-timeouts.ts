import { identityOf } from '../../objects/group-kind.ts';
import { annotatedDuration } from '../annotated-duration.ts';
import type { ReleaseObject } from '../apply/release-object.ts';
import { OperationError } from '../error.ts';
import type { ResourceStatus } from '../resource-status.ts';
import { durationText } from '../steps/time-limit.ts';
import { notReadyText } from './not-ready-text.ts';

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
