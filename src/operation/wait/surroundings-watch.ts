import type { ObjectQuery } from '../../objects/cluster.ts';
import { groupKind } from '../../objects/group-kind.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { Surroundings } from '../../readiness/surroundings.ts';
import { isWebhookKind, requiredServices } from '../../readiness/webhooks.ts';
import type { TrackedObjects } from '../tracker/object-cache.ts';
import { podOwners } from './pod-selector.ts';
import type { WatchGroup } from './watch-group.ts';

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
  endpointSlices: { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' },
};

/**
 * Calls `report` once for each kind that the API server refuses to watch. The reasons are less
 * precise then, but the wait continues.
 */
export function watchSurroundings(watches: WatchGroup, report: (message: string) => void): SurroundingsWatch {
  /** By the namespace of the workloads, and the query. */
  const started = new Map<string, Map<string, TrackedObjects>>();
  const refused = new Set<string>();

  function watchOf(name: keyof typeof kinds, namespace: string, user: string): TrackedObjects {
    const ofUser = started.get(user) ?? new Map<string, TrackedObjects>();
    started.set(user, ofUser);
    const query: ObjectQuery = { ...kinds[name], namespace };
    const key = `${name} ${namespace}`;
    const objects = ofUser.get(key) ?? watches.watch(query);
    ofUser.set(key, objects);
    if (objects.refusal && !refused.has(name)) {
      refused.add(name);
      report(`reasons may be missing: ${objects.refusal.message}`);
    }
    return objects;
  }

  function aroundWebhooks(configuration: KubeObject): Surroundings {
    const namespaces = new Set(requiredServices(configuration).map(({ namespace }) => namespace));
    const endpointSlices = [...namespaces].flatMap((namespace) => [...watchOf('endpointSlices', namespace, '').all()]);
    return { ...nothing, endpointSlices };
  }

  function around(workload: KubeObject, namespace: string): Surroundings {
    const relatedTo = (name: keyof typeof kinds, owners: readonly KubeObject[]): KubeObject[] => {
      const objects = watchOf(name, namespace, namespace);
      return owners.flatMap(({ metadata }) => [...objects.relatedTo(metadata.uid)]);
    };
    const replicaSets = workload.kind === 'Deployment' ? relatedTo('replicaSets', [workload]) : [];
    const pods = podOwners.has(workload.kind) ? relatedTo('pods', [workload, ...replicaSets]) : [];
    return { replicaSets, pods, events: relatedTo('events', [workload, ...replicaSets, ...pods]) };
  }

  return {
    of(workload) {
      if (isWebhookKind(groupKind(workload))) return aroundWebhooks(workload);
      const { namespace } = workload.metadata;
      return namespace === undefined ? nothing : around(workload, namespace);
    },
    version(namespace = '') {
      let sum = 0;
      for (const { changes } of started.get(namespace)?.values() ?? []) sum += changes;
      return sum;
    },
    areListed: () =>
      [...started.values()]
        .flatMap((ofUser) => [...ofUser.values()])
        .every(({ isListed, refusal }) => isListed || refusal !== undefined),
  };
}

const nothing: Surroundings = { replicaSets: [], pods: [], events: [] };
