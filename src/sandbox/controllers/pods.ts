import { ensureObject, numberAt, objectsAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { conditionsOf, withConditions } from '../cluster/conditions.ts';
import { timestamp } from '../sandbox-host.ts';
import { type Behaviour, behaviourOfPod } from '../simulation/behaviour.ts';
import type { ContainerContext } from '../simulation/container.ts';
import { advancePod, newPodRun, type PodRun } from '../simulation/pod-run.ts';
import { podStatus } from '../simulation/pod-status.ts';
import { mountProblemOf, startProblemOf } from '../simulation/start-problems.ts';
import { type Controller, type ControllerTools, itself } from './controller.ts';
import { recordEvent } from './events.ts';
import { nodeName } from './nodes.ts';
import { keyOf, pods, typeOf, writeStatus } from './workload.ts';

/** Time that a pod takes to stop, in simulated milliseconds. */
const stopTime = 300;

/**
 * Scheduler and kubelet in one: assigns each pod to the node, runs its simulated containers, and
 * removes it after its deletion.
 */
export function podController(): Controller {
  const runs = new Map<string, PodRun>(); // by uid
  const stops = new Map<string, number>(); // time at which the pod began to stop, by uid
  let addresses = 1;

  const nextAddress = (): string => {
    addresses++;
    return `10.244.${Math.floor(addresses / 250) % 250}.${(addresses % 250) + 2}`;
  };

  const stop = (pod: KubeObject, uid: string, tools: ControllerTools): void => {
    const startedAt = stops.get(uid) ?? tools.elapsed();
    stops.set(uid, startedAt);
    const left = startedAt + stopTime - tools.elapsed();
    if (left > 0 && numberAt(pod, 'metadata', 'deletionGracePeriodSeconds') !== 0) {
      tools.requeueAfter(left);
      return;
    }
    if ((pod.metadata.finalizers ?? []).length > 0) return;
    runs.delete(uid);
    stops.delete(uid);
    tools.store.remove(pods, pod.metadata.namespace ?? '', pod.metadata.name);
  };

  return {
    name: 'pod',
    watches: { [pods]: itself },
    reconcile({ namespace, name }, tools) {
      const pod = tools.store.get(pods, namespace, name);
      const uid = pod?.metadata.uid;
      if (!pod || uid === undefined) return;
      if (pod.metadata.deletionTimestamp !== undefined) {
        stop(pod, uid, tools);
        return;
      }
      if (['Succeeded', 'Failed'].includes(stringAt(pod, 'status', 'phase') ?? '')) return;
      const behaviour = behaviourOfPod(tools, pod);
      if (stringAt(pod, 'spec', 'nodeName') === undefined) {
        schedule(pod, behaviour, tools);
        return;
      }
      const run =
        runs.get(uid) ??
        newPodRun(pod, behaviour, { since: tools.elapsed(), startTime: timestamp(tools.host), address: nextAddress() });
      runs.set(uid, run);
      advance(pod, run, behaviour, tools);
    },
  };
}

function schedule(pod: KubeObject, behaviour: Behaviour, tools: ControllerTools): void {
  const { namespace, name } = keyOf(pod);
  if (behaviour.name === 'unschedulable') {
    const message =
      '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.';
    if (conditionsOf(pod).some(({ type }) => type === 'PodScheduled')) return;
    const unscheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message } as const;
    writeStatus(tools, pod, {
      phase: 'Pending',
      qosClass: 'BestEffort',
      conditions: withConditions(tools, [], unscheduled),
    });
    recordEvent(tools, pod, { type: 'Warning', reason: 'FailedScheduling', message, component: 'default-scheduler' });
    return;
  }
  tools.objects.update(typeOf(tools, 'v1', 'Pod'), namespace, name, (next) => {
    ensureObject(next, 'spec')['nodeName'] = nodeName;
    return next;
  });
  const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
  recordEvent(tools, pod, { type: 'Normal', reason: 'Scheduled', message, component: 'default-scheduler' });
}

function advance(pod: KubeObject, run: PodRun, behaviour: Behaviour, tools: ControllerTools): void {
  const now = tools.elapsed();
  const containers = [...objectsAt(pod, 'spec', 'initContainers'), ...objectsAt(pod, 'spec', 'containers')];
  const context: ContainerContext = {
    now,
    timestamp: timestamp(tools.host),
    startProblem({ name }) {
      const container = containers.find((candidate) => candidate['name'] === name);
      return container && startProblemOf(tools, pod, container, behaviour);
    },
    recordEvent(type, reason, message, container) {
      const list = run.init.includes(container) ? 'spec.initContainers' : 'spec.containers';
      recordEvent(tools, pod, { type, reason, message, component: 'kubelet', fieldPath: `${list}{${container.name}}` });
    },
  };
  const unmounted = mountProblemOf(tools, pod);
  if (unmounted !== undefined)
    recordEvent(tools, pod, { type: 'Warning', reason: 'FailedMount', message: unmounted, component: 'kubelet' });
  const next = unmounted === undefined ? advancePod(run, context) : now + 1000;
  const { status, conditions } = podStatus(pod, run, now);
  writeStatus(tools, pod, { ...status, conditions: withConditions(tools, conditionsOf(pod), ...conditions) });
  if (next !== undefined) tools.requeueAfter(next - now + 1);
}
