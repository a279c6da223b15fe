import type { KubeObject } from '../../objects/object.ts';
import { objectsAt, stringAt, type JsonObject } from '../../objects/fields.ts';
import { planOf, type Behaviour } from './behaviour.ts';
import { advance, readyTime, type ContainerWorld, type SimulatedContainer } from './container.ts';

/** A pod on the simulated node. */
export interface PodRun {
  /** When the node took it up, in simulated milliseconds, and as Kubernetes writes it. */
  since: number;
  startTime: string;
  address: string;
  init: SimulatedContainer[];
  containers: SimulatedContainer[];
}

export function newPodRun(
  pod: KubeObject,
  behaviour: Behaviour,
  begun: { since: number; startTime: string; address: string },
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
    ...begun,
    init: objectsAt(pod, 'spec', 'initContainers').map((container) => {
      const isSidecar = container['restartPolicy'] === 'Always';
      const plan = planOf(isSidecar ? pod : asJobPod(pod), container, { name: 'normal' });
      return make(container, plan, isSidecar ? 'Always' : policy === 'Never' ? 'Never' : 'OnFailure');
    }),
    containers: objectsAt(pod, 'spec', 'containers').map((container) =>
      make(container, planOf(pod, container, behaviour), policy),
    ),
  };
}

/** Init containers end, whatever the pod does. */
function asJobPod(pod: KubeObject): KubeObject {
  return { ...pod, spec: { ...(pod['spec'] as JsonObject), restartPolicy: 'OnFailure' } }; // pods always have a spec
}

/** How long the node prepares a pod before its first container starts; simulated milliseconds. */
const preparation = 300;

/** Moves the pod on as far as it is due; answers when to look again in simulated time, or undefined where it stays as it is. */
export function advancePod(run: PodRun, world: ContainerWorld): number | undefined {
  if (world.now < run.since + preparation) return run.since + preparation;
  const times: (number | undefined)[] = [];
  for (const container of run.init) {
    times.push(advance(container, world));
    if (!isPast(container)) return earliest(times);
  }
  for (const container of run.containers) {
    times.push(advance(container, world));
    const ready = readyTime(container);
    if (ready !== undefined && ready > world.now) times.push(ready);
  }
  return earliest(times);
}

/** Whether the containers after this init container may start. */
export function isPast({ phase, restartPolicy }: SimulatedContainer): boolean {
  if (restartPolicy === 'Always') return phase.name === 'running';
  return phase.name === 'ended' && phase.exitCode === 0;
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const set = times.filter((time) => time !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}
