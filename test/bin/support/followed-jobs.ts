import type { Cluster, ObjectQuery } from '../../../src/objects/cluster.ts';
import type { KubeObject } from '../../../src/objects/object.ts';

/** The Jobs of a cluster, also those that were deleted. */
export interface FollowedJobs {
  /**
   * Returns the names of the Jobs that were created in a namespace, once for each creation, and
   * their numbers of pods.
   */
  createdIn(namespace: string): string[];
  stop(): Promise<void>;
}

export function followJobs(cluster: Pick<Cluster, 'observe'>): FollowedJobs {
  const watching = new AbortController();
  const jobs = followed(cluster, { apiVersion: 'batch/v1', kind: 'Job' }, watching.signal);
  const pods = followed(cluster, { apiVersion: 'v1', kind: 'Pod', labelSelector: 'job-name' }, watching.signal);
  return {
    createdIn(namespace) {
      const podsIn = pods.objects.filter(({ metadata }) => metadata.namespace === namespace);
      return jobs.objects
        .filter(({ metadata }) => metadata.namespace === namespace)
        .map(({ metadata: { name, uid } }) => {
          const own = podsIn.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
          return `${name}: ${own.length}`;
        })
        .sort();
    },
    async stop() {
      watching.abort();
      await Promise.all([jobs.ended, pods.ended]);
    },
  };
}

/** Follows objects, and keeps each one that has ever existed. */
function followed(cluster: Pick<Cluster, 'observe'>, query: ObjectQuery, signal: AbortSignal) {
  const byUid = new Map<string, KubeObject>();
  const ended = (async () => {
    for await (const change of cluster.observe(query, signal)) {
      for (const object of change.type === 'snapshot' ? change.objects : [change.object]) {
        byUid.set(object.metadata.uid ?? '', object);
      }
    }
  })();
  return {
    ended,
    get objects() {
      return [...byUid.values()];
    },
  };
}
