import type { KubeObject } from '../../objects/object.ts';
import type { Surroundings } from '../../readiness/surroundings.ts';
import type { TrackedObjects } from '../tracker/object-cache.ts';
import type { WatchGroup } from './watch-group.ts';
import { podOwners } from './pod-selector.ts';

/** ReplicaSets, pods and events of workloads, which show why one is not ready. */
export interface SurroundingsWatch {
  /** Returns the surroundings of a workload. The first call in a namespace starts their watches. */
  of: (workload: KubeObject) => Surroundings;
  /** Returns a number that grows with each change of the surroundings in a namespace. */
  version: (namespace: string | undefined) => number;
  /** Whether every watch has listed or was refused. */
  areListed: () => boolean;
}

const kinds = {
  replicaSets: { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
  pods: { apiVersion: 'v1', kind: 'Pod' },
  events: { apiVersion: 'v1', kind: 'Event' },
};

/**
 * Calls `report` once for each kind that the API server refuses to watch. The reasons are less
 * precise then, but the wait continues.
 */
export function watchSurroundings(watches: WatchGroup, report: (message: string) => void): SurroundingsWatch {
  const started = new Map<string, Map<keyof typeof kinds, TrackedObjects>>();
  const refused = new Set<string>();

  function watchOf(name: keyof typeof kinds, namespace: string): TrackedObjects {
    const inNamespace = started.get(namespace) ?? new Map<keyof typeof kinds, TrackedObjects>();
    started.set(namespace, inNamespace);
    const objects = inNamespace.get(name) ?? watches.watch({ ...kinds[name], namespace });
    inNamespace.set(name, objects);
    if (objects.refusal && !refused.has(name)) {
      refused.add(name);
      report(`reasons may be missing: ${objects.refusal.message}`);
    }
    return objects;
  }

  return {
    of(workload) {
      const { namespace } = workload.metadata;
      if (namespace === undefined) return { replicaSets: [], pods: [], events: [] };
      const relatedTo = (name: keyof typeof kinds, owners: readonly KubeObject[]): KubeObject[] => {
        const objects = watchOf(name, namespace);
        return owners.flatMap(({ metadata }) => [...objects.relatedTo(metadata.uid)]);
      };
      const replicaSets = workload.kind === 'Deployment' ? relatedTo('replicaSets', [workload]) : [];
      const pods = podOwners.has(workload.kind) ? relatedTo('pods', [workload, ...replicaSets]) : [];
      return { replicaSets, pods, events: relatedTo('events', [workload, ...replicaSets, ...pods]) };
    },
    version(namespace = '') {
      let sum = 0;
      for (const { changes } of started.get(namespace)?.values() ?? []) sum += changes;
      return sum;
    },
    areListed: () =>
      [...started.values()]
        .flatMap((inNamespace) => [...inNamespace.values()])
        .every(({ isListed, refusal }) => isListed || refusal !== undefined),
  };
}
