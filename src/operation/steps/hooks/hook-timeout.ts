import { messageOf } from '../../../errors/index.ts';
import { annotatedDuration } from '../../annotated-duration.ts';
import type { ReleaseObject } from '../../apply/release-object.ts';
import type { OperationContext } from '../../context.ts';
import { OperationError } from '../../error.ts';
import type { Deadline } from '../../state/deadline.ts';
import { durationText, timeLimit } from '../../time-limit.ts';
import { limitedWait } from '../../wait/limited-wait.ts';
import type { StateTools } from '../step.ts';

/** Annotation of a hook with its time limit, as a Go duration. */
const annotation = 'helm-agent/hook-timeout';

/** Returns the time limit that a hook has by its annotation. Throws `invalid_manifest`. */
export function annotatedTimeout(path: string, objects: readonly ReleaseObject[]): number | undefined {
  return objects
    .map(({ object }) => annotatedDuration(annotation, object, `hook ${path}`))
    .find((timeout) => timeout !== undefined);
}

/**
 * Waits for a hook with its own time limit, or else with that of each wait; that of the operation
 * counts in any case. Throws `hook_failed` if its own is over.
 */
export async function withHookTimeout<T>(
  context: OperationContext,
  { path, timeout, deadline }: { path: string; timeout: number | undefined; deadline: Deadline },
  tools: StateTools,
  wait: (tools: StateTools) => Promise<T>,
): Promise<T> {
  if (timeout === undefined) return await limitedWait(context, deadline, tools, wait);
  const limit = timeLimit(timeout, [tools.signal], context.startTimer);
  try {
    return await wait({ ...tools, signal: limit.signal });
  } catch (cause) {
    if (tools.signal.aborted || !limit.signal.aborted) throw cause;
    const text = `hook ${path} did not end within its time limit of ${durationText(timeout)}: ${messageOf(cause)}`;
    const resources = cause instanceof OperationError ? cause.resources : [];
    throw new OperationError('hook_failed', text, { cause, resources });
  } finally {
    limit.close();
  }
}
