import { fieldAt, integerAt, listAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import { currentPods } from './current-pods.ts';
import type { RelatedObjects } from './related-objects.ts';

/** Kinds whose pods run until they are deleted. */
const runningKinds: ReadonlySet<string> = new Set([
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'ReplicationController',
  'Pod',
]);

/** A container that has been running since its last start. */
export interface ContainerRun {
  /** Identifies the run among all of a workload. */
  id: string;
  /** When it has started, by the clock of its node, in milliseconds since the Unix epoch. */
  startedAt: number;
  /** How long the run before lasted, in milliseconds. 0 if it is the first one. */
  lifetimeBefore: number;
}

/**
 * Returns the containers of a workload that have no readiness probe, so that they count as ready as
 * soon as they run.
 */
export function unprobedContainers(workload: KubeObject): string[] {
  if (!runningKinds.has(workload.kind) || hasEnded(workload)) return [];
  const spec = workload.kind === 'Pod' ? fieldAt(workload, 'spec') : fieldAt(workload, 'spec', 'template', 'spec');
  return listAt(spec, 'containers')
    .filter((container) => fieldAt(container, 'readinessProbe') === undefined)
    .map(nameOf);
}

/**
 * Returns the runs of containers in the current pods of a workload. Undefined if not all of them
 * are known to run.
 */
export function containerRuns(
  workload: KubeObject,
  names: readonly string[],
  related: RelatedObjects,
): ContainerRun[] | undefined {
  const pods = currentPods(workload, related).filter((pod) => !hasEnded(pod));
  const runs = pods.flatMap((pod) => runsOf(pod, names));
  const isComplete = pods.length >= podCount(workload) && runs.length === pods.length * names.length;
  return isComplete ? runs : undefined;
}

function podCount({ kind, status }: KubeObject): number {
  if (kind === 'Pod') return 1;
  return integerAt(status, kind === 'DaemonSet' ? 'desiredNumberScheduled' : 'replicas') ?? 0;
}

/** Whether a pod has ended, or is being deleted. */
function hasEnded(pod: KubeObject): boolean {
  const phase = stringAt(pod, 'status', 'phase');
  return phase === 'Succeeded' || phase === 'Failed' || pod.metadata.deletionTimestamp !== undefined;
}

function runsOf(pod: KubeObject, names: readonly string[]): ContainerRun[] {
  const wanted = new Set(names);
  const statuses = listAt(pod, 'status', 'containerStatuses');
  return statuses.filter((status) => wanted.has(nameOf(status))).flatMap((status) => runOf(pod, status) ?? []);
}

function runOf(pod: KubeObject, status: unknown): ContainerRun | undefined {
  const startedAt = timeAt(status, 'state', 'running', 'startedAt');
  if (startedAt === undefined) return undefined;
  const finished = timeAt(status, 'lastState', 'terminated', 'finishedAt') ?? 0;
  const lifetimeBefore = finished - (timeAt(status, 'lastState', 'terminated', 'startedAt') ?? finished);
  return { id: `${pod.metadata.uid ?? ''} ${nameOf(status)} ${startedAt}`, startedAt, lifetimeBefore };
}

function nameOf(container: unknown): string {
  return stringAt(container, 'name') ?? '';
}

function timeAt(value: unknown, ...path: string[]): number | undefined {
  const time = Date.parse(stringAt(value, ...path) ?? '');
  return Number.isNaN(time) ? undefined : time;
}
