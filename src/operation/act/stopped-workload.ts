import { fieldAt, isJsonObject, numberAt } from '../../objects/fields.ts';
import { groupKind } from '../../objects/group-kind.ts';
import type { KubeObject } from '../../objects/object.ts';

/** Annotation of a stopped workload with what it was, as JSON. */
const annotation = 'helm-agent/stopped';

/** Label of no node: pods that need one with it do not run. */
const noNode = 'helm-agent/stopped';

const withReplicas: ReadonlySet<string> = new Set([
  ...(['apps/Deployment', 'apps/StatefulSet', 'apps/ReplicaSet', 'ReplicationController'] as const),
]);

const maxReplicas = 100_000;

/** A JSON merge patch, and what it does. */
interface WorkloadPatch {
  patch: Record<string, unknown>;
  text: string;
}

/** Whether objects of the kind run pods that can be stopped. */
export function canBeStopped(ref: { apiVersion: string; kind: string }): boolean {
  const kind = groupKind(ref);
  return withReplicas.has(kind) || kind === 'apps/DaemonSet' || kind === 'batch/CronJob';
}

/**
 * Returns the patch that stops a workload and notes what it was, in one write. Undefined if it is
 * stopped, so that stopping it again does not forget that. An HPA leaves a workload without
 * replicas alone, and continues when it has some again.
 */
export function stopPatch(workload: KubeObject): WorkloadPatch | undefined {
  if (isStopped(workload)) return undefined;
  const noted = (was: object) => ({ metadata: { annotations: { [annotation]: JSON.stringify(was) } } });
  const kind = groupKind(workload);
  if (kind === 'apps/DaemonSet') {
    const spec = { template: { spec: { nodeSelector: { [noNode]: 'true' } } } };
    return { patch: { ...noted({}), spec }, text: 'stopped on all nodes' };
  }
  if (kind === 'batch/CronJob') {
    const suspend = fieldAt(workload, 'spec', 'suspend') === true;
    return { patch: { ...noted({ suspend }), spec: { suspend: true } }, text: 'suspended' };
  }
  const replicas = replicasOf(workload);
  return { patch: { ...noted({ replicas }), spec: { replicas: 0 } }, text: `scaled from ${replicas} to 0` };
}

/** Returns the patch that brings a workload back to what it was. Undefined if there is no note. */
export function startPatch(workload: KubeObject): WorkloadPatch | undefined {
  const text = workload.metadata.annotations?.[annotation];
  if (text === undefined) return undefined;
  const forgotten = { metadata: { annotations: { [annotation]: null } } };
  // an upgrade or a person has started it in the meantime
  if (!isStopped(workload)) return { patch: forgotten, text: 'runs already' };
  const was = noted(text);
  const kind = groupKind(workload);
  if (kind === 'apps/DaemonSet') {
    const spec = { template: { spec: { nodeSelector: { [noNode]: null } } } };
    return { patch: { ...forgotten, spec }, text: 'started on all nodes' };
  }
  if (kind === 'batch/CronJob') {
    const suspend = fieldAt(was, 'suspend') === true;
    return { patch: { ...forgotten, spec: { suspend } }, text: suspend ? 'stays suspended' : 'continued' };
  }
  const before = numberAt(was, 'replicas') ?? 1;
  const replicas = Number.isInteger(before) && before >= 0 && before <= maxReplicas ? before : 1;
  return { patch: { ...forgotten, spec: { replicas } }, text: `scaled from 0 to ${replicas}` };
}

/** Whether a workload has the note, and is as it was when it was stopped. */
export function isStopped(workload: KubeObject): boolean {
  if (workload.metadata.annotations?.[annotation] === undefined) return false;
  switch (groupKind(workload)) {
    case 'apps/DaemonSet':
      return fieldAt(workload, 'spec', 'template', 'spec', 'nodeSelector', noNode) !== undefined;
    case 'batch/CronJob':
      return fieldAt(workload, 'spec', 'suspend') === true;
    default:
      return replicasOf(workload) === 0;
  }
}

function replicasOf(workload: KubeObject): number {
  return numberAt(workload, 'spec', 'replicas') ?? 1;
}

/** Reads a note, which others can change. */
function noted(text: string): object {
  try {
    const was: unknown = JSON.parse(text.slice(0, 1024));
    return isJsonObject(was) ? was : {};
  } catch {
    return {};
  }
}
