import { messageOf } from '../../errors/index.ts';
import type { Cluster } from '../../objects/cluster.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { groupOf, identityOf } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef, ResourceKind } from '../../objects/object.ts';
import { requireObjectName } from '../../objects/path-segment.ts';
import type { ManifestObject } from '../../render/release-renderer.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import { forEach } from './concurrency.ts';

/** An object of a release, with its reference in the cluster. */
export interface ReleaseObject {
  object: KubeObject;
  ref: ObjectRef;
  namespaced: boolean;
}

export interface ResolveOptions {
  /** Start of an error's message. May be empty. */
  prefix: string;
  signal: AbortSignal;
  /**
   * Whether an object whose API version is no longer served is found by another version of its
   * group, because the live object has outlived that version. Default: `exact`.
   */
  versions?: 'exact' | 'any served';
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
  { prefix, signal, versions = 'exact' }: ResolveOptions,
): Promise<ReleaseObject[]> {
  return await forEach(manifestObjects, async (item) => {
    try {
      requireObjectName(item.object.metadata);
      const kind = await kindOf(cluster, item.object, versions, signal);
      return resolve(item.object, kind, namespace);
    } catch (cause) {
      if (!hasClusterErrorCode(cause, 'unknown_kind')) throw cause;
      const start = prefix === '' ? '' : `${prefix}: `;
      throw new OperationError('invalid_manifest', `${start}${item.source}: ${messageOf(cause)}`, { cause });
    }
  });
}

async function kindOf(
  cluster: Cluster,
  { apiVersion, kind }: KubeObject,
  versions: 'exact' | 'any served',
  signal: AbortSignal,
): Promise<ResourceKind> {
  try {
    return await cluster.resourceKind(apiVersion, kind, signal);
  } catch (error) {
    if (versions === 'exact' || !hasClusterErrorCode(error, 'unknown_kind')) throw error;
    const served = await cluster.servedKind(groupOf(apiVersion), kind, signal);
    if (served === undefined) throw error;
    return served;
  }
}

function resolve(given: KubeObject, { apiVersion, namespaced }: ResourceKind, releaseNamespace: string): ReleaseObject {
  const object = { ...given, apiVersion };
  const { kind, metadata } = object;
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
