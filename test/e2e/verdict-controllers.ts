import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeCluster } from '../../src/kube/cluster.ts';
import { integerAt, listAt } from '../../src/objects/fields.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import { conditionOf } from '../../src/readiness/conditions.ts';
import { openEnvironment, uniqueName } from '../api/environment.ts';
import { patchStatus } from './patch-status.ts';
import { kubeconfigText } from './real-cluster.ts';

export interface ControllerOptions {
  cluster: KubeCluster;
  namespace: string;
  signal: AbortSignal;
  /** Called when it has reported that a resource has failed. */
  onFailure: () => void;
}

/**
 * Acts in the cluster until the signal aborts, and then undoes what it did outside the namespace.
 */
export type Controller = (options: ControllerOptions) => Promise<void>;

interface Condition {
  type: string;
  status: 'True' | 'False';
  reason: string;
}

/** Label of the node that {@link scalesUp} adds. */
export const roomLabel = `verdicts.helm-agent.example/${uniqueName('room')}`;

/** Sets conditions of the widget `web`, each after some seconds of its life. */
export function setsStatus(conditions: readonly (readonly [seconds: number, condition: Condition])[]): Controller {
  return async ({ namespace, signal, onFailure }) => {
    const api = openEnvironment(kubeconfigText());
    const path = `/apis/verdicts.helm-agent.example/v1/namespaces/${namespace}/widgets/web`;
    try {
      await until(async () => (await api.raw('GET', path)).status === 200, signal);
      const begin = Date.now();
      for (const [seconds, condition] of conditions) {
        await sleep(Math.max(0, begin + seconds * 1000 - Date.now()), undefined, { signal });
        const lastTransitionTime = new Date().toISOString();
        const status = { conditions: [{ ...condition, message: condition.reason, lastTransitionTime }] };
        await patchStatus(api, path, { observedGeneration: 1, ...status });
        if (condition.type === 'Stalled') onFailure();
      }
    } finally {
      await api.close();
    }
  };
}

/** Acts as an autoscaler of nodes: says that it adds one for the first pod, and later does. */
export function scalesUp(seconds: number): Controller {
  return async ({ cluster, namespace, signal }) => {
    const pods = () => cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace });
    await until(async () => (await pods()).some((pod) => conditionOf(pod, 'PodScheduled', 'False')), signal);
    const [pod] = await pods();
    const involvedObject = {
      apiVersion: 'v1',
      kind: 'Pod',
      namespace,
      name: pod?.metadata.name,
      uid: pod?.metadata.uid,
    };
    const time = new Date().toISOString().replace(/\.\d+/, '');
    await cluster.create({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'scale-up', namespace },
      ...{ involvedObject, type: 'Normal', reason: 'TriggeredScaleUp', message: 'pod triggered scale-up: 1->2' },
      ...{ firstTimestamp: time, lastTimestamp: time, count: 1, source: { component: 'cluster-autoscaler' } },
    });
    await sleep(seconds * 1000, undefined, { signal });
    const [node] = await cluster.list({ apiVersion: 'v1', kind: 'Node' });
    const ref = { apiVersion: 'v1', kind: 'Node', name: node?.metadata.name ?? '' };
    await cluster.mergePatch(ref, { metadata: { labels: { [roomLabel]: 'yes' } } });
    try {
      await aborted(signal);
    } finally {
      await cluster.mergePatch(ref, { metadata: { labels: { [roomLabel]: null } } });
    }
  };
}

/**
 * Lets the programs of {@link fickle} run once their container has failed twice, and some seconds
 * have passed.
 */
export function startsDatabase(seconds: number): Controller {
  return async ({ cluster, namespace, signal }) => {
    const begin = Date.now();
    const pods = () => cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace, labelSelector: 'app=web' });
    const hasFailed = async () => (await pods()).some((pod) => (restartCount(pod) ?? 0) > 0);
    await until(hasFailed, signal);
    await sleep(Math.max(0, begin + seconds * 1000 - Date.now()), undefined, { signal });
    await cluster.mergePatch(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'mode' },
      { data: { mode: 'serve' } },
    );
  };
}

function restartCount(pod: KubeObject): number | undefined {
  const [status] = listAt(pod, 'status', 'containerStatuses');
  return integerAt(status, 'restartCount');
}

async function until(condition: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!(await condition())) await sleep(200, undefined, { signal });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Runs a task, and a controller beside it until the task has ended. */
export async function withController<T>(
  controller: Controller | undefined,
  options: Omit<ControllerOptions, 'signal'>,
  task: () => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const running = controller?.({ ...options, signal: stop.signal }).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  try {
    return await task();
  } finally {
    stop.abort();
    await running;
  }
}
