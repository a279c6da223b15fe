import type { ClusterCapabilities } from '../../objects/cluster.ts';
import type { ManifestObject } from '../../render/release-renderer.ts';
import { knownApiVersions } from '../../render/scope/api-versions.ts';
import type { Work } from '../work.ts';

/** Returns what the cluster serves now. Reads discovery once in an operation. */
export async function presentKinds(work: Work<unknown>, signal: AbortSignal): Promise<ClusterCapabilities> {
  const { context, cache } = work;
  if (cache.capabilities === undefined || cache.hasPresentKinds !== true) {
    cache.capabilities = await context.cluster.capabilities(signal);
    cache.hasPresentKinds = true;
  }
  return cache.capabilities;
}

const builtIn = new Set(knownApiVersions);

/**
 * Reads discovery if some objects are of kinds that are not built into Kubernetes, whose CRDs may
 * have been deleted or replaced since it was read.
 */
export async function checkCustomKinds(
  work: Work<unknown>,
  objects: readonly ManifestObject[],
  signal: AbortSignal,
): Promise<void> {
  if (objects.some(({ object }) => !builtIn.has(object.apiVersion))) await presentKinds(work, signal);
}
