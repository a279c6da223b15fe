import { hasClusterErrorCode } from '../objects/cluster-error.ts';
import { lastChangeOf } from '../readiness/last-change.ts';
import { forEach } from './apply/concurrency.ts';
import { clockOffset, serverMilliseconds } from './clock.ts';
import type { OperationContext } from './context.ts';
import { messageOf } from './error.ts';
import { presentObjects, type PresentObject } from './present-objects.ts';
import type { ResourceStatus } from './progress.ts';
import { get, type StoredRelease } from './query.ts';
import type { StatusRequest } from './request.ts';
import { defaultTimeout } from './state/deadline.ts';
import { failFastOf } from './wait/fail-fast-options.ts';
import { judgeReadiness, type JudgeOptions } from './wait/readiness-judgement.ts';
import { listSurroundings } from './wait/surroundings-list.ts';

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
  return { ...stored, resources: await forEach(objects, (found) => statusOf(context, found, options)) };
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
  const { ref, object } = found;
  const { cluster, signal } = context;
  try {
    const surroundings = object && (await listSurroundings(cluster, object, signal));
    const none = { replicaSets: [], pods: [], events: [] };
    const { status } = judgeReadiness(ref, object, () => surroundings ?? none, options);
    const changed = object && lastChangeOf(object);
    if (changed === undefined) return status;
    return { ...status, since: new Date(changed - clockOffset(context)).toISOString() };
  } catch (error) {
    signal.throwIfAborted();
    if (hasClusterErrorCode(error, 'unreachable')) throw error;
    return { ...ref, status: 'Unknown', reason: messageOf(error) };
  }
}
