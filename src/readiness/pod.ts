import { listAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import { conditionOf } from './conditions.ts';
import { current, failed, inProgress, type Readiness, type ReadinessOptions } from './status.ts';

/** Time without a node after which a pod counts as failed, in milliseconds. */
const schedulingGrace = 15_000;

export function podReadiness(object: KubeObject, options: ReadinessOptions): Readiness {
  if (options.toCompletion?.includes('Pod') === true) return podCompletion(object);
  const phase = stringAt(object, 'status', 'phase') ?? '';
  switch (phase) {
    case 'Succeeded':
      return current('Pod has completed successfully');
    case 'Failed':
      return current('Pod has completed, but not successfully');
    case 'Running':
      return runningPod(object);
    case 'Pending':
      return pendingPod(object, options.now);
    case '':
      return inProgress('Pod phase not available');
    default:
      return inProgress(`unknown phase ${phase}`);
  }
}

/** Helm's rule for the pod of a hook. */
function podCompletion(object: KubeObject): Readiness {
  const { name } = object.metadata;
  const phase = stringAt(object, 'status', 'phase');
  if (phase === 'Succeeded') return current(`pod ${name} succeeded`);
  if (phase === 'Failed') return failed(`pod ${name} failed`);
  return inProgress(`pod ${name} in progress`);
}

function runningPod(object: KubeObject): Readiness {
  if (conditionOf(object, 'Ready', 'True')) return current('Pod is Ready');
  const looping = listAt(object, 'status', 'containerStatuses').filter(
    (container) => stringAt(container, 'state', 'waiting', 'reason') === 'CrashLoopBackOff',
  );
  if (looping.length === 0) return inProgress('Pod is running but is not Ready');
  const names = looping.map((container) => stringAt(container, 'name') ?? '');
  return failed(`Containers in CrashLoop state: ${names.join(',')}`);
}

function pendingPod(object: KubeObject, now: number): Readiness {
  if (conditionOf(object, 'PodScheduled', 'False')?.reason !== 'Unschedulable') {
    return inProgress('Pod is in the Pending phase');
  }
  const age = now - Date.parse(object.metadata.creationTimestamp ?? '');
  if (age > schedulingGrace) return failed('Pod could not be scheduled');
  const waiting = inProgress('Pod has not been scheduled');
  return Number.isNaN(age) ? waiting : { ...waiting, changesIn: schedulingGrace - age + 1 };
}
