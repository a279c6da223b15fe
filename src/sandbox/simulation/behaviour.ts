import { type JsonObject, listAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';

/**
 * Annotation of a pod template, or of the controller of the pods, with the behaviour of the pods.
 */
const behaviourAnnotation = 'sandbox.helm-agent/behaviour';

/** Annotation of a pod template with the log of its containers. */
const logAnnotation = 'sandbox.helm-agent/log';

/**
 * Behaviour of a pod. By default, containers start, become ready, and run forever (or, in a Job,
 * succeed).
 */
export type Behaviour =
  | { name: 'normal' }
  | { name: 'never-ready' }
  | { name: 'crash-loop' }
  | { name: 'image-pull-error' }
  | { name: 'job-failure' }
  | { name: 'unschedulable' }
  | { name: 'ready-after'; milliseconds: number };

/** Returns the behaviour by the annotation of the pod, or else of its controller. */
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

/** Course of one run of a container. Times are simulated milliseconds since its start. */
export interface ContainerPlan {
  /** Default: it never becomes ready. */
  readyAfter?: number;
  /** Default: it runs forever. */
  exitAfter?: number;
  exitCode: number;
  log: string;
}

/** Time until a container with a probe becomes ready. */
const defaultReadyAfter = 400;
/** Time until a container that ends does so. */
const defaultRunTime = 300;

/** Returns the log of a run of a container. */
export function logOf(pod: KubeObject, container: JsonObject, behaviour: Behaviour): string {
  return pod.metadata.annotations?.[logAnnotation] ?? planOf(pod, container, behaviour).log;
}

/**
 * Plans a run of a container by the pod's behaviour, or else by its command. The sandbox simulates
 * a few programs, by the first word of command and arguments: `sleep 3s`, `fail [-after 2s]`,
 * `serve [-after 3s]`, `true`, `false`.
 */
export function planOf(pod: KubeObject, container: JsonObject, behaviour: Behaviour): ContainerPlan {
  const runsForever = stringAt(pod, 'spec', 'restartPolicy') === 'Always';
  const hasProbe = container['readinessProbe'] !== undefined || container['startupProbe'] !== undefined;
  const readyAfter = hasProbe ? defaultReadyAfter : 0;
  switch (behaviour.name) {
    case 'never-ready':
      return { exitCode: 0, log: 'waiting for a dependency' };
    case 'crash-loop':
    case 'job-failure':
      return {
        exitAfter: defaultRunTime,
        exitCode: 1,
        log: 'fatal: simulated failure',
        ...(!hasProbe && { readyAfter }),
      };
    case 'ready-after':
      return {
        readyAfter: behaviour.milliseconds,
        exitCode: 0,
        log: 'started',
        ...(!runsForever && { exitAfter: behaviour.milliseconds }),
      };
    default:
      return planOfCommand(container, { readyAfter, runsForever });
  }
}

function planOfCommand(
  container: JsonObject,
  { readyAfter, runsForever }: { readyAfter: number; runsForever: boolean },
): ContainerPlan {
  const words = [...listAt(container, 'command'), ...listAt(container, 'args')].map(String);
  const program = words[0]?.replace(/^.*\//, '') ?? '';
  const after = milliseconds(words[words.indexOf('-after') + 1]) ?? 0;
  switch (program) {
    case 'sleep':
      return { readyAfter, exitAfter: milliseconds(words[1]) ?? defaultRunTime, exitCode: 0, log: 'working\ndone' };
    case 'fail':
      return { readyAfter, exitAfter: after + defaultRunTime, exitCode: 3, log: 'boom: cannot reach database' };
    case 'false':
      return { readyAfter, exitAfter: defaultRunTime, exitCode: 1, log: '' };
    case 'true':
      return { readyAfter, exitAfter: defaultRunTime, exitCode: 0, log: '' };
    case 'serve':
      return { readyAfter: readyAfter + after, exitCode: 0, log: 'listening on :8080' };
    default:
      return { readyAfter, exitCode: 0, log: 'started', ...(!runsForever && { exitAfter: defaultRunTime }) };
  }
}

/** Reads a duration such as `3s`, `500ms`, `2m`, or a number of seconds. */
function milliseconds(text: string | undefined): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text ?? '');
  if (!match) return undefined;
  const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  return Number(match[1]) * (units[match[2] ?? 's'] ?? 1000);
}
