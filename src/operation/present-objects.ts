import { messageOf } from '../errors/index.ts';
import { hasClusterErrorCode } from '../objects/cluster-error.ts';
import { identityOf } from '../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../objects/object.ts';
import { type SteeringAnnotations, steeringAnnotations } from '../readiness/index.ts';
import type { Release } from '../release/release.ts';
import type { ManifestObject } from '../render/release-renderer.ts';
import { forEach } from './apply/concurrency.ts';
import { readObjects } from './apply/read-objects.ts';
import { resolveObjects } from './apply/release-object.ts';
import type { OperationContext } from './context.ts';
import type { ResourceStatus } from './progress.ts';

/** An object of a release as it is in the cluster, or the status `Unknown` if it cannot be read. */
export type PresentObject = FoundObject | { unknown: ResourceStatus };

interface FoundObject {
  ref: ObjectRef;
  object: KubeObject | undefined;
  /** Annotations of the manifest that steer a wait. Default: none. */
  steering: SteeringAnnotations | undefined;
}

/** Reads the objects of a release's manifest, without hooks. */
export async function presentObjects(context: OperationContext, release: Release): Promise<PresentObject[]> {
  const { cluster, renderer, signal } = context;
  const { manifest, namespace } = release;
  const prefix = 'unable to build kubernetes objects from release manifest';
  const objects = await renderer.readObjects(manifest, prefix, signal);
  const named = objects.filter(({ object }) => object.metadata.name !== '');
  const resolved = await forEach(named, (item) => refOf(context, item, namespace));
  const refs = resolved.flatMap((item) => ('ref' in item ? [item.ref] : []));
  // if one kind cannot be read, each object is read by itself
  const found = await readObjects(cluster, refs, { signal }).catch((error: unknown) => {
    requireReachable(error, signal);
    return undefined;
  });
  return await forEach(resolved, async (item) => {
    if ('unknown' in item) return item;
    try {
      const object = found === undefined ? await cluster.get(item.ref, signal) : found.get(identityOf(item.ref));
      return { ...item, object };
    } catch (error) {
      return unknownObject(item.ref, error, signal);
    }
  });
}

/** Finds out where an object is read. */
async function refOf(
  { cluster, signal }: OperationContext,
  item: ManifestObject,
  releaseNamespace: string,
): Promise<Omit<FoundObject, 'object'> | { unknown: ResourceStatus }> {
  const { apiVersion, kind, metadata } = item.object;
  const ref = { apiVersion, kind, name: metadata.name };
  try {
    const options = { prefix: `cannot find ${kind}`, signal };
    const [resolved] = await resolveObjects(cluster, [item], releaseNamespace, options);
    return { ref: resolved?.ref ?? ref, steering: steeringAnnotations(item.object) };
  } catch (error) {
    return unknownObject(ref, error, signal);
  }
}

function unknownObject({ apiVersion, kind, name }: ObjectRef, error: unknown, signal: AbortSignal) {
  requireReachable(error, signal);
  return { unknown: { apiVersion, kind, name, status: 'Unknown' as const, reason: messageOf(error) } };
}

/** Throws an error that is not about one object. */
function requireReachable(error: unknown, signal: AbortSignal): void {
  signal.throwIfAborted();
  if (hasClusterErrorCode(error, 'unreachable')) throw error;
}
