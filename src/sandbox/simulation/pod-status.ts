import type { JsonObject } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { Condition } from '../cluster/conditions.ts';
import { readyTime, type SimulatedContainer } from './container.ts';
import { isInitComplete, type PodRun } from './pod-run.ts';

/** Returns the status of a pod on a node, with conditions that have no times yet. */
export function podStatus(pod: KubeObject, run: PodRun, now: number): { status: JsonObject; conditions: Condition[] } {
  const { name, namespace = '', uid = '' } = pod.metadata;
  const podName = `${name}_${namespace}(${uid})`;
  const initialized = run.init.every(isInitComplete);
  const ready = initialized && run.containers.every((container) => isReady(container, now));
  const phase = phaseOf(run);
  const containersNotReady = `containers with unready status: [${run.containers
    .filter((container) => !isReady(container, now))
    .map(({ name }) => name)
    .join(' ')}]`;
  const ended = phase === 'Succeeded' || phase === 'Failed';
  const readiness = (type: string): Condition => {
    if (ready) return { type, status: 'True' };
    if (phase === 'Succeeded') return { type, status: 'False', reason: 'PodCompleted' };
    if (phase === 'Failed') return { type, status: 'False', reason: 'PodFailed' };
    return { type, status: 'False', reason: 'ContainersNotReady', message: containersNotReady };
  };
  const incomplete = run.init.filter((container) => !isInitComplete(container)).map(({ name }) => name);
  const started = run.containers.some(({ phase }) => phase.name !== 'creating');
  return {
    status: {
      phase,
      observedGeneration: pod.metadata.generation,
      hostIP: '172.18.0.2',
      hostIPs: [{ ip: '172.18.0.2' }],
      ...(started || run.init.length > 0 ? { podIP: run.address, podIPs: [{ ip: run.address }] } : {}),
      startTime: run.startTime,
      qosClass: 'BestEffort',
      ...(run.init.length > 0 && {
        initContainerStatuses: run.init.map((container) => containerStatus(container, 'PodInitializing', now, podName)),
      }),
      containerStatuses: run.containers.map((container) =>
        containerStatus(container, initialized ? 'ContainerCreating' : 'PodInitializing', now, podName),
      ),
    },
    conditions: [
      { type: 'PodReadyToStartContainers', status: ended ? 'False' : 'True' },
      initialized
        ? { type: 'Initialized', status: 'True', ...(phase === 'Succeeded' && { reason: 'PodCompleted' }) }
        : {
            type: 'Initialized',
            status: 'False',
            reason: 'ContainersNotInitialized',
            message: `containers with incomplete status: [${incomplete.join(' ')}]`,
          },
      readiness('Ready'),
      readiness('ContainersReady'),
      { type: 'PodScheduled', status: 'True' },
    ],
  };
}

function phaseOf(run: PodRun): string {
  const hasEnded = ({ phase, restartPolicy }: SimulatedContainer): boolean =>
    phase.name === 'ended' && restartPolicy !== 'Always' && !(restartPolicy === 'OnFailure' && phase.exitCode !== 0);
  const failed = ({ phase }: SimulatedContainer): boolean => phase.name === 'ended' && phase.exitCode !== 0;
  if (run.init.some((container) => hasEnded(container) && failed(container))) return 'Failed';
  if (run.containers.every(hasEnded)) return run.containers.some(failed) ? 'Failed' : 'Succeeded';
  const started = ({ phase, restarts }: SimulatedContainer): boolean =>
    restarts > 0 || phase.name === 'running' || phase.name === 'ended';
  return run.init.every(isInitComplete) && run.containers.every(started) ? 'Running' : 'Pending';
}

function isReady(container: SimulatedContainer, now: number): boolean {
  const time = readyTime(container);
  return time !== undefined && time <= now;
}

function containerStatus(container: SimulatedContainer, creating: string, now: number, podName: string): JsonObject {
  const { phase, name, image, restarts, last } = container;
  const terminated = (ended: NonNullable<SimulatedContainer['last']>): JsonObject => ({
    exitCode: ended.exitCode,
    reason: ended.exitCode === 0 ? 'Completed' : 'Error',
    startedAt: ended.startedAt,
    finishedAt: ended.finishedAt,
    containerID: containerId(container),
  });
  const state = (): JsonObject => {
    switch (phase.name) {
      case 'creating':
        return { waiting: { reason: creating } };
      case 'blocked':
        return { waiting: { reason: phase.reason, message: phase.message } };
      case 'running':
        return { running: { startedAt: phase.startedAt } };
      case 'ended':
        return { terminated: terminated(phase) };
      case 'back-off': {
        const which = `container=${name} pod=${podName}`;
        const message = `back-off ${goDuration(phase.seconds)} restarting failed ${which}`;
        return { waiting: { reason: 'CrashLoopBackOff', message } };
      }
    }
  };
  const isInitDone = phase.name === 'ended' && phase.exitCode === 0;
  const started = phase.name !== 'creating' && phase.name !== 'blocked';
  return {
    name,
    state: state(),
    lastState: last && phase.name !== 'ended' ? { terminated: terminated(last) } : {},
    ready: isReady(container, now) || (isInitDone && creating === 'PodInitializing'),
    restartCount: restarts,
    image,
    imageID: started ? `sandbox/${image}` : '',
    ...(started && { containerID: containerId(container) }),
    started: phase.name === 'running',
  };
}

function containerId({ name, restarts }: SimulatedContainer): string {
  return `containerd://${Buffer.from(`${name}-${restarts}`).toString('hex').padEnd(64, '0').slice(0, 64)}`;
}

/** Formats whole seconds like Go: `10s`, `2m40s`. */
function goDuration(seconds: number): string {
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
