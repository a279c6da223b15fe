import { numberAt, objectAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { ApiError } from '../api-error.ts';
import { conditionsOf, withConditions } from '../cluster/conditions.ts';
import { type Controller, type ControllerTools, itself, ownerOf } from './controller.ts';
import { recordEvent } from './events.ts';
import { podFromTemplate } from './pod-template.ts';
import { controlledBy, isPodActive, isPodReady, keyOf, liveObject, pods, typeOf, writeStatus } from './workload.ts';

export const replicaSetController = controllerOf('ReplicaSet', 'apps/replicasets');

export const replicationController = controllerOf('ReplicationController', '/replicationcontrollers');

/** Creates and deletes pods until an object of the kind has the number that it requests. */
function controllerOf(kind: string, collection: string): Controller {
  return {
    name: kind.toLowerCase(),
    watches: { [collection]: itself, [pods]: ownerOf(kind) },
    reconcile(key, tools) {
      const set = liveObject(tools, collection, key);
      if (!set) return;
      const active = controlledBy(tools, set, pods).filter(isPodActive);
      const wanted = numberAt(set, 'spec', 'replicas') ?? 1;
      const failure = scale(tools, set, active, wanted);
      if (failure) tools.requeueAfter(1000);
      writeReplicaSetStatus(tools, set, failure);
    },
  };
}

function scale(tools: ControllerTools, set: KubeObject, active: KubeObject[], wanted: number): ApiError | undefined {
  const type = typeOf(tools, 'v1', 'Pod');
  const { namespace, name } = keyOf(set);
  const component = `${set.kind.toLowerCase()}-controller`;
  for (let count = active.length; count < wanted; count++) {
    try {
      const pod = tools.objects.create(type, namespace, podFromTemplate(set, { generateName: `${name}-` }));
      const message = `Created pod: ${pod.metadata.name}`;
      recordEvent(tools, set, { type: 'Normal', reason: 'SuccessfulCreate', message, component });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const message = `Error creating: ${error.message}`;
      recordEvent(tools, set, { type: 'Warning', reason: 'FailedCreate', message, component });
      return error;
    }
  }
  for (const pod of [...active].sort(byDeletionOrder).slice(0, Math.max(0, active.length - wanted))) {
    tools.objects.remove(type, namespace, pod.metadata.name);
    const message = `Deleted pod: ${pod.metadata.name}`;
    recordEvent(tools, set, { type: 'Normal', reason: 'SuccessfulDelete', message, component });
  }
  return undefined;
}

/** Sorts pods in the order of their deletion: first those that are not ready, then the newest. */
function byDeletionOrder(a: KubeObject, b: KubeObject): number {
  if (isPodReady(a) !== isPodReady(b)) return isPodReady(a) ? 1 : -1;
  return Number(b.metadata.resourceVersion) - Number(a.metadata.resourceVersion);
}

function writeReplicaSetStatus(tools: ControllerTools, set: KubeObject, failure: ApiError | undefined): void {
  const active = controlledBy(tools, set, pods).filter(isPodActive);
  const ready = active.filter(isPodReady).length;
  const others = conditionsOf(set).filter(({ type }) => type !== 'ReplicaFailure');
  const conditions = failure
    ? withConditions(tools, conditionsOf(set), {
        type: 'ReplicaFailure',
        status: 'True',
        reason: 'FailedCreate',
        message: failure.message,
      })
    : others;
  const labels = Object.entries(objectAt(set, 'spec', 'template', 'metadata', 'labels'));
  const labelled = active.filter((pod) =>
    labels.every(([key, value]) => stringAt(pod, 'metadata', 'labels', key) === value),
  );
  writeStatus(tools, set, {
    replicas: active.length,
    ...(labelled.length > 0 && { fullyLabeledReplicas: labelled.length }),
    ...(ready > 0 && { readyReplicas: ready, availableReplicas: ready }),
    observedGeneration: set.metadata.generation,
    ...(conditions.length > 0 && { conditions }),
  });
}
