import { numberAt, objectAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { type Condition, conditionsOf, withConditions } from '../cluster/conditions.ts';
import { timestamp } from '../sandbox-host.ts';
import type { ControllerTools } from './controller.ts';
import { intOrPercent, writeStatus } from './workload.ts';

interface ReplicaSets {
  all: readonly KubeObject[];
  /** ReplicaSet of the current template. */
  current: KubeObject | undefined;
}

/** Writes the Deployment's status: the sums over its ReplicaSets, and its conditions. */
export function writeDeploymentStatus(
  tools: ControllerTools,
  deployment: KubeObject,
  { all, current }: ReplicaSets,
): void {
  const wanted = numberAt(deployment, 'spec', 'replicas') ?? 1;
  const sum = (field: string): number => all.reduce((total, set) => total + (numberAt(set, 'status', field) ?? 0), 0);
  const counts = {
    replicas: sum('replicas'),
    updatedReplicas: (current && numberAt(current, 'status', 'replicas')) ?? 0,
    readyReplicas: sum('readyReplicas'),
    availableReplicas: sum('availableReplicas'),
  };
  const failure = all.flatMap(conditionsOf).find(({ type }) => type === 'ReplicaFailure');
  const before = conditionsOf(deployment).filter(({ type }) => type !== 'ReplicaFailure');
  const conditions = withConditions(
    tools,
    before,
    availableCondition(deployment, counts.availableReplicas, wanted),
    progressingCondition(tools, deployment, counts, wanted, current),
    ...(failure ? [failure] : []),
  );
  const unavailable = Math.max(0, Math.max(wanted, counts.replicas) - counts.availableReplicas);
  writeStatus(tools, deployment, {
    observedGeneration: deployment.metadata.generation,
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    ...(unavailable > 0 && { unavailableReplicas: unavailable }),
    conditions: stampUpdates(tools, before, conditions),
  });
}

function availableCondition(deployment: KubeObject, available: number, wanted: number): Condition {
  const rolling = objectAt(deployment, 'spec', 'strategy', 'rollingUpdate');
  const mayMiss =
    stringAt(deployment, 'spec', 'strategy', 'type') === 'Recreate'
      ? 0
      : intOrPercent(rolling['maxUnavailable'], wanted, 'down');
  return available >= wanted - mayMiss
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
}

interface Counts {
  replicas: number;
  updatedReplicas: number;
  readyReplicas: number;
  availableReplicas: number;
}

function progressingCondition(
  tools: ControllerTools,
  deployment: KubeObject,
  counts: Counts,
  wanted: number,
  current: KubeObject | undefined,
): Condition {
  const name = current?.metadata.name ?? '';
  const before = conditionsOf(deployment).find(({ type }) => type === 'Progressing');
  const complete =
    counts.updatedReplicas === wanted && counts.replicas === wanted && counts.availableReplicas === wanted;
  if (complete) {
    const message = `ReplicaSet ${JSON.stringify(name)} has successfully progressed.`;
    return { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable', message };
  }
  const message = `ReplicaSet ${JSON.stringify(name)} is progressing.`;
  const progressing: Condition = { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', message };
  const progressed =
    before === undefined ||
    numberAt(deployment, 'status', 'observedGeneration') !== deployment.metadata.generation ||
    counts.updatedReplicas > (numberAt(deployment, 'status', 'updatedReplicas') ?? 0) ||
    counts.readyReplicas > (numberAt(deployment, 'status', 'readyReplicas') ?? 0) ||
    counts.availableReplicas > (numberAt(deployment, 'status', 'availableReplicas') ?? 0);
  if (progressed) {
    tools.requeueAfter(deadlineOf(deployment));
    return progressing;
  }
  if (before.reason === 'NewReplicaSetAvailable' || before.reason === 'ProgressDeadlineExceeded') return before;
  const idle = Number(tools.host.now() / 1_000_000n) - Date.parse(stringAt(before, 'lastUpdateTime') ?? '');
  const left = deadlineOf(deployment) / tools.speed - idle;
  if (left > 0) {
    tools.requeueAfter(left * tools.speed);
    return { ...progressing, lastUpdateTime: before['lastUpdateTime'] };
  }
  const late = `ReplicaSet ${JSON.stringify(name)} has timed out progressing.`;
  return { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: late };
}

function deadlineOf(deployment: KubeObject): number {
  return (numberAt(deployment, 'spec', 'progressDeadlineSeconds') ?? 600) * 1000;
}

/** Sets `lastUpdateTime`, which changes with each progress and with the reason or message. */
function stampUpdates(
  tools: ControllerTools,
  before: readonly Condition[],
  conditions: readonly Condition[],
): Condition[] {
  const now = timestamp(tools.host);
  return conditions.map((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    const same = old?.reason === condition.reason && old?.message === condition.message;
    const { lastUpdateTime } = condition;
    return {
      ...condition,
      lastUpdateTime:
        lastUpdateTime ?? (same && condition.reason !== 'ReplicaSetUpdated' ? old?.['lastUpdateTime'] : now),
    };
  });
}
