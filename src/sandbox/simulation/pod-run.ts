import { type JsonObject, objectsAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { type Behaviour, planOf } from './behaviour.ts';
import { advance, type ContainerContext, readyTime, type SimulatedContainer } from './container.ts';

/** A pod on the simulated node. */
export interface PodRun {
  /** Simulated time at which the node accepted the pod, in milliseconds. */
  since: number;
  /** The same time in the format of Kubernetes. */
  startTime: string;
  address: string;
  init: SimulatedContainer[];
  containers: SimulatedContainer[];
}

export function newPodRun(
  pod: KubeObject,
  behaviour: Behaviour,
  start: { since: number; startTime: string; address: string },
): PodRun {
  const policy = stringAt(pod, 'spec', 'restartPolicy') ?? 'Always';
  const make = (
    container: JsonObject,
    plan: SimulatedContainer['plan'],
    restartPolicy: string,
  ): SimulatedContainer => ({
    name: stringAt(container, 'name') ?? '',
    image: stringAt(container, 'image') ?? '',
    restartPolicy,
    plan,
    phase: { name: 'creating' },
    restarts: 0,
  });
  return {
    ...start,
    init: objectsAt(pod, 'spec', 'initContainers').map((container) => {
      const isSidecar = container['restartPolicy'] === 'Always';
      const plan = planOf(isSidecar ? pod : asFinitePod(pod), container, { name: 'normal' });
      return make(container, plan, isSidecar ? 'Always' : policy === 'Never' ? 'Never' : 'OnFailure');
    }),
    containers: objectsAt(pod, 'spec', 'containers').map((container) =>
      make(container, planOf(pod, container, behaviour), policy),
    ),
  };
}

/** Returns the pod with a restart policy by which its containers end: init containers always do. */
function asFinitePod(pod: KubeObject): KubeObject {
  // Validated when the pod was written.
  return { ...pod, spec: { ...(pod['spec'] as JsonObject), restartPolicy: 'OnFailure' } };
}

/** Time between the start of a pod and that of its first container, in simulated milliseconds. */
const preparationTime = 300;

/**
 * Performs all steps of a pod that are due. Returns the simulated time of the next step, or
 * undefined if there is none.
 */
export function advancePod(run: PodRun, context: ContainerContext): number | undefined {
  if (context.now < run.since + preparationTime) return run.since + preparationTime;
  const times: (number | undefined)[] = [];
  for (const container of run.init) {
    times.push(advance(container, context));
    if (!isInitComplete(container)) return earliest(times);
  }
  for (const container of run.containers) {
    times.push(advance(container, context));
    const ready = readyTime(container);
    if (ready !== undefined && ready > context.now) times.push(ready);
  }
  return earliest(times);
}

/**
 * Whether an init container is done, or running as a sidecar, so that the next container can start.
 */
export function isInitComplete({ phase, restartPolicy }: SimulatedContainer): boolean {
  if (restartPolicy === 'Always') return phase.name === 'running';
  return phase.name === 'ended' && phase.exitCode === 0;
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const set = times.filter((time) => time !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}
