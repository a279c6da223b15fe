import type { Cluster } from '../objects/cluster.ts';
import { targetOf } from '../objects/object-target.ts';
import type { CommandPolicy } from './command-policy.ts';

/**
 * Returns a cluster in which only the objects can be changed that the policy allows. All requests
 * of a command that change something pass here, whatever it has checked before.
 */
export function limitedCluster(cluster: Cluster, policy: CommandPolicy): Cluster {
  return {
    ...cluster,
    async create(object, options) {
      policy.requireChange(targetOf(object), object);
      return await cluster.create(object, options);
    },
    async replace(object, options) {
      policy.requireChange(targetOf(object), object);
      return await cluster.replace(object, options);
    },
    async apply(object, options) {
      policy.requireChange(targetOf(object), object);
      return await cluster.apply(object, options);
    },
    async mergePatch(ref, patch, options) {
      policy.requireChange(ref, patch);
      return await cluster.mergePatch(ref, patch, options);
    },
    async strategicMergePatch(ref, patch, options) {
      policy.requireChange(ref, patch);
      return await cluster.strategicMergePatch(ref, patch, options);
    },
    async delete(ref, options) {
      policy.requireChange(ref, undefined);
      return await cluster.delete(ref, options);
    },
  };
}
