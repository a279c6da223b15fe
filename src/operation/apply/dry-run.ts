import type { Cluster } from '../../objects/cluster.ts';

/**
 * Returns the cluster with writes that the API server only tries: it validates and admits them, and
 * returns the object that they would lead to. Deletions are left out.
 */
export function dryRunCluster(cluster: Cluster): Cluster {
  return {
    ...cluster,
    create: (object, options) => cluster.create(object, { ...options, dryRun: true }),
    replace: (object, options) => cluster.replace(object, { ...options, dryRun: true }),
    apply: (object, options) => cluster.apply(object, { ...options, dryRun: true }),
    mergePatch: (ref, patch, options) => cluster.mergePatch(ref, patch, { ...options, dryRun: true }),
    strategicMergePatch: (ref, patch, options) => cluster.strategicMergePatch(ref, patch, { ...options, dryRun: true }),
    delete: () => Promise.reject(new Error('a dry run deletes nothing')),
  };
}
