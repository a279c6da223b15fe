import { hasClusterErrorCode } from '../objects/cluster-error.ts';
import type { ManifestObject } from '../render/release-renderer.ts';
import { forEach } from './apply/concurrency.ts';
import { resolveObjects } from './apply/release-object.ts';
import type { OperationContext } from './context.ts';
import { messageOf } from './error.ts';
import type { ResourceStatus } from './progress.ts';
import { get, type StoredRelease } from './query.ts';
import type { StatusRequest } from './request.ts';
import { defaultTimeout } from './state/deadline.ts';
import { failFastOf } from './wait/fail-fast-options.ts';
import { judgeReadiness } from './wait/ready-wait.ts';
import { listSurroundings } from './wait/surroundings-list.ts';
import { epochMilliseconds } from './clock.ts';

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
  const { manifest, namespace } = stored.release;
  const prefix = 'unable to build kubernetes objects from release manifest';
  const objects = await context.renderer.readObjects(manifest, prefix, context.signal);
  const named = objects.filter(({ object }) => object.metadata.name !== '');
  return { ...stored, resources: await forEach(named, (item) => statusOfObject(context, item, namespace)) };
}

/** Returns the status `Unknown` if the agent cannot read the object. */
async function statusOfObject(
  { cluster, host, signal }: OperationContext,
  item: ManifestObject,
  releaseNamespace: string,
): Promise<ResourceStatus> {
  const { apiVersion, kind, metadata } = item.object;
  try {
    const [resolved] = await resolveObjects(cluster, [item], releaseNamespace, {
      prefix: `cannot find ${kind}`,
      signal,
    });
    const ref = resolved?.ref ?? { apiVersion, kind, name: metadata.name };
    const object = await cluster.get(ref, signal);
    const options = {
      now: epochMilliseconds(host),
      toCompletion: ['Job'],
      failFast: failFastOf({}, defaultTimeout),
    } as const;
    const surroundings = object && (await listSurroundings(cluster, object, signal));
    const none = { replicaSets: [], pods: [], events: [] };
    return judgeReadiness(ref, object, () => surroundings ?? none, options).status;
  } catch (error) {
    signal.throwIfAborted();
    if (hasClusterErrorCode(error, 'unreachable')) throw error;
    return { apiVersion, kind, name: metadata.name, status: 'Unknown', reason: messageOf(error) };
  }
}
