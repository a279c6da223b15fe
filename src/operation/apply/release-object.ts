import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { identityOf } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { requireObjectName } from '../../objects/path-segment.ts';
import type { Cluster } from '../../objects/cluster.ts';
import type { ManifestObject } from '../../render/release-renderer.ts';
import { OperationError, messageOf } from '../error.ts';
import { forEach } from './concurrency.ts';
import type { OperationContext } from '../context.ts';

/** An object of a release, with its reference in the cluster. */
export interface ReleaseObject {
  object: KubeObject;
  ref: ObjectRef;
  namespaced: boolean;
}

export interface ResolveOptions {
  /** Start of an error's message. */
  prefix: string;
  signal: AbortSignal;
  /** Whether objects of kinds that the cluster does not serve are an error. Default: `refuse`. */
  unknownKinds?: 'refuse' | 'leave out';
}

/**
 * Reads the objects of a manifest and finds out how the cluster serves their kinds. Objects without
 * a namespace get that of the release. Throws `invalid_manifest`.
 */
export async function resolveReleaseObjects(
  { cluster, renderer }: Pick<OperationContext, 'cluster' | 'renderer'>,
  manifest: string,
  namespace: string,
  options: ResolveOptions,
): Promise<ReleaseObject[]> {
  const objects = await renderer.readObjects(manifest, options.prefix, options.signal);
  return resolveObjects(cluster, objects, namespace, options);
}

/** Does the same as {@link resolveReleaseObjects} for objects that were read already. */
export async function resolveObjects(
  cluster: Cluster,
  manifestObjects: readonly ManifestObject[],
  namespace: string,
  { prefix, signal, unknownKinds = 'refuse' }: ResolveOptions,
): Promise<ReleaseObject[]> {
  const objects = await forEach(manifestObjects, async (item) => {
    try {
      return await resolve(cluster, item, namespace, signal);
    } catch (cause) {
      if (!hasClusterErrorCode(cause, 'unknown_kind')) throw cause;
      if (unknownKinds === 'leave out') return undefined;
      throw new OperationError('invalid_manifest', `${prefix}: ${item.source}: ${messageOf(cause)}`, { cause });
    }
  });
  return objects.filter((item) => item !== undefined);
}

async function resolve(
  cluster: Cluster,
  { object }: ManifestObject,
  releaseNamespace: string,
  signal: AbortSignal,
): Promise<ReleaseObject> {
  const { apiVersion, kind, metadata } = object;
  requireObjectName(metadata);
  const { namespaced } = await cluster.resourceKind(apiVersion, kind, signal);
  const { namespace: ownNamespace, ...otherMetadata } = metadata;
  if (!namespaced) {
    return {
      object: { ...object, metadata: otherMetadata },
      ref: { apiVersion, kind, name: metadata.name },
      namespaced,
    };
  }
  const namespace = ownNamespace === undefined || ownNamespace === '' ? releaseNamespace : ownNamespace;
  return {
    object: { ...object, metadata: { ...metadata, namespace } },
    ref: { apiVersion, kind, namespace, name: metadata.name },
    namespaced,
  };
}

/** Returns the objects of the first list that are not in the second. */
export function subtractObjects(objects: readonly ReleaseObject[], others: readonly ReleaseObject[]): ReleaseObject[] {
  const known = new Set(others.map(({ ref }) => identityOf(ref)));
  return objects.filter(({ ref }) => !known.has(identityOf(ref)));
}
