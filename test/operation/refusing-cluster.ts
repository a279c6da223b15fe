import type { Cluster } from '../../src/objects/cluster.ts';

/** Returns the cluster, which refuses to apply the object with the given name. */
export function refusingCluster(cluster: Cluster, name: string): Cluster {
  return {
    ...cluster,
    apply(object, options) {
      if (object.metadata.name !== name) return cluster.apply(object, options);
      return Promise.reject(Object.assign(new Error(`${name} is refused`), { code: 'invalid' }));
    },
  };
}
