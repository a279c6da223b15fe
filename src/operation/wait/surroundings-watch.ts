import type { KubeObject } from '../../objects/object.ts';
import type { Surroundings } from '../../readiness/surroundings.ts';
import { podOwners, podSelector } from './pod-selector.ts';
import type { ObjectWatch, WatchGroup } from './watch-group.ts';

/** ReplicaSets, pods and events of workloads, which show why one is not ready. */
export interface SurroundingsWatch {
  /** Returns the surroundings of a workload. The first call for a workload starts their watches. */
  of: (workload: KubeObject) => Surroundings;
  /** Whether every watch has listed or was refused. */
  areListed: () => boolean;
}

/**
 * Calls `report` once for each kind that the API server refuses to watch. The reasons are less
 * precise then, but the wait continues.
 */
export function watchSurroundings(watches: WatchGroup, report: (message: string) => void): SurroundingsWatch {
  const started = new Map<string, ObjectWatch>();
  const refused = new Set<string>();

  function objectsOf(kind: string, namespace: string, labelSelector: string): KubeObject[] {
    const key = `${kind} ${namespace} ${labelSelector}`;
    const apiVersion = kind === 'ReplicaSet' ? 'apps/v1' : 'v1';
    const selector = kind === 'Event' ? { fieldSelector: 'type=Warning' } : { labelSelector };
    const watch = started.get(key) ?? watches.watch({ apiVersion, kind, namespace, ...selector });
    started.set(key, watch);
    if (watch.refusal && !refused.has(kind)) {
      refused.add(kind);
      report(`reasons may be missing: ${watch.refusal.message}`);
    }
    return [...watch.objects.values()];
  }

  return {
    of(workload) {
      const { namespace } = workload.metadata;
      if (namespace === undefined) return { replicaSets: [], pods: [], events: [] };
      const isOwner = podOwners.has(workload.kind);
      const events = isOwner || workload.kind === 'Pod' ? objectsOf('Event', namespace, '') : [];
      const selector = isOwner ? podSelector(workload) : '';
      if (selector === '') return { replicaSets: [], pods: [], events };
      const replicaSets = workload.kind === 'Deployment' ? objectsOf('ReplicaSet', namespace, selector) : [];
      return { replicaSets, pods: objectsOf('Pod', namespace, selector), events };
    },
    areListed: () => [...started.values()].every(({ isListed, refusal }) => isListed || refusal !== undefined),
  };
}
