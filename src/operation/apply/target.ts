import { identityOf } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import type { Cluster } from '../../objects/cluster.ts';
import { OperationError } from '../error.ts';
import { hasCode, messageOf } from '../error-code.ts';
import { forEach } from './concurrency.ts';
import { readObjects, type ManifestObject } from './manifest-objects.ts';

/** An object of a release, and where the cluster keeps it. */
export interface Target {
  object: KubeObject;
  ref: ObjectRef;
  namespaced: boolean;
}

export interface ResolveOptions {
  /** How the message of an error begins. */
  prefix: string;
  signal: AbortSignal;
  /** What to do about kinds that the cluster does not serve; of one that it serves no longer, it holds no objects. Default `refuse`. */
  unknownKinds?: 'refuse' | 'leave out';
}

/**
 * Reads a manifest and asks the cluster how it serves the kinds in it; objects without a namespace get the release's.
 * Throws `invalid_manifest`.
 */
export async function resolveTargets(
  cluster: Cluster,
  manifest: string,
  namespace: string,
  { prefix, signal, unknownKinds = 'refuse' }: ResolveOptions,
): Promise<Target[]> {
  const targets = await forEach(readObjects(manifest, prefix), async (item) => {
    try {
      return await resolve(cluster, item, namespace, signal);
    } catch (cause) {
      if (!hasCode(cause, 'unknown_kind')) throw cause;
      if (unknownKinds === 'leave out') return undefined;
      throw new OperationError('invalid_manifest', `${prefix}: ${item.source}: ${messageOf(cause)}`, { cause });
    }
  });
  return targets.filter((target) => target !== undefined);
}

async function resolve(
  cluster: Cluster,
  { object }: ManifestObject,
  releaseNamespace: string,
  signal: AbortSignal,
): Promise<Target> {
  const { apiVersion, kind, metadata } = object;
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

/** The objects of the first list that are not in the second. */
export function without(targets: readonly Target[], others: readonly Target[]): Target[] {
  const known = new Set(others.map(({ ref }) => identityOf(ref)));
  return targets.filter(({ ref }) => !known.has(identityOf(ref)));
}
