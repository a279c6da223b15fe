import { labelRequirements, type LabelRequirement } from '../../objects/label-selector.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { Surroundings } from '../../readiness/surroundings.ts';
import type { Cluster } from '../../objects/cluster.ts';
import { messageOf } from '../error-code.ts';
import { watchObjects, type ObjectWatch } from './object-watch.ts';

/** What is under the workloads of a release: ReplicaSets, pods and events, followed for as long as somebody asks why. */
export interface SurroundingsWatch {
  /** What is known about a workload. The first question about it begins to follow what is under it. */
  around: (workload: KubeObject) => Surroundings;
  /** Whether everything that is followed has been listed once, or may not be looked at. */
  settled: () => boolean;
  /** Ends when everything that was followed has ended with the signal. Does not fail. */
  finished: () => Promise<unknown>;
}

export interface SurroundingsWatchOptions {
  signal: AbortSignal;
  onChange: () => void;
  /** Told once for each kind that may not be looked at: reasons are poorer then, but the wait goes on. */
  onRefused: (message: string) => void;
}

interface FollowedKind {
  kind: string;
  watch: ObjectWatch;
  isRefused: boolean;
  finished: Promise<void>;
}

const owners: ReadonlySet<string> = new Set([
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'ReplicationController',
  'Job',
]);

export function watchSurroundings(cluster: Cluster, options: SurroundingsWatchOptions): SurroundingsWatch {
  const watches = new Map<string, FollowedKind>();

  function follow(kind: string, namespace: string, labelSelector: string): KubeObject[] {
    const key = `${kind} ${namespace} ${labelSelector}`;
    const followed = watches.get(key) ?? begin(kind, namespace, labelSelector);
    watches.set(key, followed);
    return [...followed.watch.objects.values()];
  }

  function begin(kind: string, namespace: string, labelSelector: string): FollowedKind {
    const query = {
      apiVersion: kind === 'ReplicaSet' ? 'apps/v1' : 'v1',
      kind,
      namespace,
      ...(kind === 'Event' ? { fieldSelector: 'type=Warning' } : { labelSelector }),
    };
    const watch = watchObjects(cluster, query, options.signal, options.onChange);
    const followed: FollowedKind = { kind, watch, isRefused: false, finished: watch.finished.catch(refuse) };
    return followed;

    function refuse(error: unknown): void {
      const isKnown = [...watches.values()].some((other) => other.kind === kind && other.isRefused);
      followed.isRefused = true;
      if (!isKnown) options.onRefused(`reasons may be missing: ${messageOf(error)}`);
      options.onChange();
    }
  }

  return {
    around: (workload) => {
      const { namespace } = workload.metadata;
      if (namespace === undefined) return { replicaSets: [], pods: [], events: [] };
      const events = workload.kind === 'Pod' || owners.has(workload.kind) ? follow('Event', namespace, '') : [];
      const selector = owners.has(workload.kind) ? podSelector(workload) : '';
      if (selector === '') return { replicaSets: [], pods: [], events };
      const replicaSets = workload.kind === 'Deployment' ? follow('ReplicaSet', namespace, selector) : [];
      return { replicaSets, pods: follow('Pod', namespace, selector), events };
    },
    settled: () => [...watches.values()].every(({ watch, isRefused }) => watch.listed || isRefused),
    finished: () => Promise.all(Array.from(watches.values(), ({ finished }) => finished)),
  };
}

/** The selector of a workload's pods in the API's form; empty where it has none. */
function podSelector({ kind, spec }: KubeObject): string {
  const selector = typeof spec === 'object' && spec !== null && 'selector' in spec ? spec.selector : undefined;
  if (typeof selector !== 'object' || selector === null) return '';
  const labelSelector =
    kind === 'ReplicationController' ? { matchLabels: selector as Record<string, string> } : selector; // as the API defines it
  return labelRequirements(labelSelector).map(requirementText).join(',');
}

function requirementText({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'In':
      return `${key} in (${values.join(',')})`;
    case 'NotIn':
      return `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
  }
}
