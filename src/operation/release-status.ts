import { messageOf } from '../errors/index.ts';
import { hasClusterErrorCode } from '../objects/cluster-error.ts';
import { lastChangeOf, steeredBy } from '../readiness/index.ts';
import { forEach } from './apply/concurrency.ts';
import { clockOffset, serverMilliseconds } from './clock.ts';
import { operationOf } from './command-operation.ts';
import type { OperationContext } from './context.ts';
import { redactedResources } from './evidence/redacted-resources.ts';
import { redactionOf } from './evidence/release-redaction.ts';
import { get, type StoredRelease } from './get.ts';
import { type PresentObject, presentObjects } from './present-objects.ts';
import type { ResourceStatus } from './progress.ts';
import { publicRelease } from './release-answer.ts';
import type { StatusRequest } from './request.ts';
import { defaultTimeout } from './state/deadline.ts';
import { failFastOf, type JudgeOptions, judgeReadiness } from './wait/judge.ts';
import { listRelatedObjects } from './wait/related-objects.ts';

/** A stored revision, and the present state of its objects. */
export interface StatusOfRelease extends StoredRelease {
  /** Objects of the manifest, without hooks. */
  resources: ResourceStatus[];
}

/**
 * Returns a revision with the status of each of its objects, by the rules of a wait. Throws
 * `release_not_found`.
 */
export async function releaseStatus(context: OperationContext, request: StatusRequest): Promise<StatusOfRelease> {
  const stored = await get(context, request);
  const objects = await presentObjects(context, stored.release);
  const options = { ...statusOptions(request), now: serverMilliseconds(context) };
  const resources = await forEach(objects, (found) => statusOf(context, found, options));
  const redaction = redactionOf(context, [stored.release]);
  return { ...stored, resources: await redactedResources(resources, redaction, context.signal) };
}

/** Returns how the objects of a release are judged that no operation waits for. */
export function statusOptions({ readiness = [] }: StatusRequest): Omit<JudgeOptions, 'now'> {
  return { toCompletion: ['Job'], rules: readiness, failFast: failFastOf({}, defaultTimeout) };
}

/** Returns the status `Unknown` if the agent cannot read what belongs to the object. */
async function statusOf(
  context: OperationContext,
  found: PresentObject,
  options: JudgeOptions,
): Promise<ResourceStatus> {
  if ('unknown' in found) return found.unknown;
  const { ref, steering } = found;
  const object = found.object && steeredBy(found.object, steering);
  const { cluster, signal } = context;
  try {
    const related = object && (await listRelatedObjects(cluster, object, signal));
    const none = { replicaSets: [], pods: [], events: [] };
    const { status } = judgeReadiness(ref, object, () => related ?? none, options);
    const changed = object && lastChangeOf(object);
    if (changed === undefined) return status;
    return { ...status, since: new Date(changed - clockOffset(context)).toISOString() };
  } catch (error) {
    signal.throwIfAborted();
    if (hasClusterErrorCode(error, 'unreachable')) throw error;
    return { ...ref, status: 'Unknown', reason: messageOf(error) };
  }
}

export const operation = operationOf('release_status', {
  request: (payload) => payload,
  run: releaseStatus,
  answer: ({ release, resources }) => ({ release: publicRelease(release), resources }),
});
