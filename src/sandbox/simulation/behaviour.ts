import type { KubeObject } from '../../objects/object.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { listAt, stringAt, type JsonObject } from '../../objects/fields.ts';

/** On a pod template, or on the object that controls the pods: how its pods behave. */
const behaviourAnnotation = 'sandbox.helm-agent/behaviour';

/** On a pod template: what its containers print. */
const logAnnotation = 'sandbox.helm-agent/log';

/** What the annotation can say. Without one, containers start, become ready, and run for ever (or, in a Job, succeed). */
export type Behaviour =
  | { name: 'normal' }
  | { name: 'never-ready' }
  | { name: 'crash-loop' }
  | { name: 'image-pull-error' }
  | { name: 'job-failure' }
  | { name: 'unschedulable' }
  | { name: 'ready-after'; milliseconds: number };

/** The pod's own annotation counts, else that of what controls it. */
export function behaviourOfPod(state: ClusterState, pod: KubeObject): Behaviour {
  const own = pod.metadata.annotations?.[behaviourAnnotation];
  if (own !== undefined) return behaviourOf(own);
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller);
  const type = owner && state.registry.byKind(owner.apiVersion, owner.kind);
  const object = type && state.objects.find(type, pod.metadata.namespace ?? '', owner.name);
  return behaviourOf(object?.metadata.annotations?.[behaviourAnnotation]);
}

function behaviourOf(annotation: string | undefined): Behaviour {
  const [name, value] = (annotation ?? '').split('=', 2);
  switch (name) {
    case 'never-ready':
    case 'crash-loop':
    case 'image-pull-error':
    case 'job-failure':
    case 'unschedulable':
      return { name };
    case 'ready-after':
      return { name, milliseconds: milliseconds(value) ?? 0 };
    default:
      return { name: 'normal' };
  }
}

/** What a container does from its start: milliseconds of a real cluster's time. */
export interface ContainerPlan {
  /** Absent: never. */
  readyAfter?: number;
  /** Absent: it runs for ever. */
  exitAfter?: number;
  exitCode: number;
  log: string;
}

/** A container that has nothing else to do becomes ready after this. */
const usualReadyAfter = 400;
/** A container that ends does so after this. */
const usualRunTime = 300;

/** What a container prints in a run. */
export function logOf(pod: KubeObject, container: JsonObject, behaviour: Behaviour): string {
  return pod.metadata.annotations?.[logAnnotation] ?? planOf(pod, container, behaviour).log;
}

/**
 * What a container will do: by the pod's behaviour, else by its command. The sandbox knows a few programs by the first word of command and arguments:
 * `sleep 3s`, `fail [-after 2s]`, `serve [-after 3s]`, `true`, `false`.
 */
export function planOf(pod: KubeObject, container: JsonObject, behaviour: Behaviour): ContainerPlan {
  const endless = stringAt(pod, 'spec', 'restartPolicy') === 'Always';
  const hasProbe = container['readinessProbe'] !== undefined || container['startupProbe'] !== undefined;
  const readyAfter = hasProbe ? usualReadyAfter : 0;
  switch (behaviour.name) {
    case 'never-ready':
      return { exitCode: 0, log: 'waiting for a dependency' };
    case 'crash-loop':
    case 'job-failure':
      return {
        exitAfter: usualRunTime,
        exitCode: 1,
        log: 'fatal: simulated failure',
        ...(!hasProbe && { readyAfter }),
      };
    case 'ready-after':
      return {
        readyAfter: behaviour.milliseconds,
        exitCode: 0,
        log: 'started',
        ...(!endless && { exitAfter: behaviour.milliseconds }),
      };
    default:
      return planOfCommand(container, { readyAfter, endless });
  }
}

function planOfCommand(
  container: JsonObject,
  { readyAfter, endless }: { readyAfter: number; endless: boolean },
): ContainerPlan {
  const words = [...listAt(container, 'command'), ...listAt(container, 'args')].map(String);
  const program = words[0]?.replace(/^.*\//, '') ?? '';
  const after = milliseconds(words[words.indexOf('-after') + 1]) ?? 0;
  switch (program) {
    case 'sleep':
      return { readyAfter, exitAfter: milliseconds(words[1]) ?? usualRunTime, exitCode: 0, log: 'working\ndone' };
    case 'fail':
      return { readyAfter, exitAfter: after + usualRunTime, exitCode: 3, log: 'boom: cannot reach database' };
    case 'false':
      return { readyAfter, exitAfter: usualRunTime, exitCode: 1, log: '' };
    case 'true':
      return { readyAfter, exitAfter: usualRunTime, exitCode: 0, log: '' };
    case 'serve':
      return { readyAfter: readyAfter + after, exitCode: 0, log: 'listening on :8080' };
    default:
      return { readyAfter, exitCode: 0, log: 'started', ...(!endless && { exitAfter: usualRunTime }) };
  }
}

/** `3s`, `500ms`, `2m`, or a bare number of seconds as `sleep` takes it. */
function milliseconds(text: string | undefined): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text ?? '');
  if (!match) return undefined;
  const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  return Number(match[1]) * (units[match[2] ?? 's'] ?? 1000);
}
