import { fieldAt, integerAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import { conditionOf, conditionsOf } from './conditions.ts';
import { current, failed, inProgress, type Readiness } from './status.ts';

/** Value for "no deadline". The controller sets no Progressing condition then. */
const noDeadline = 2 ** 31 - 1;

export function deploymentReadiness(object: KubeObject): Readiness {
  // as in Helm: its pods would never change
  if (fieldAt(object, 'spec', 'paused') === true) return current('Deployment is paused');
  if (
    conditionsOf(object).some(({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded')
  ) {
    return failed('Progress deadline exceeded');
  }
  const wanted = integerAt(object, 'spec', 'replicas') ?? 1;
  const replicas = integerAt(object, 'status', 'replicas') ?? 0;
  const updated = integerAt(object, 'status', 'updatedReplicas') ?? 0;
  const ready = integerAt(object, 'status', 'readyReplicas') ?? 0;
  const available = integerAt(object, 'status', 'availableReplicas') ?? 0;

  if (wanted > replicas) return inProgress(`Replicas: ${replicas}/${wanted}`);
  if (wanted > updated) return inProgress(`Updated: ${updated}/${wanted}`);
  if (replicas > wanted) return inProgress(`Pending termination: ${replicas - wanted}`);
  if (updated > available) return inProgress(`Available: ${available}/${updated}`);
  if (wanted > ready) return inProgress(`Ready: ${ready}/${wanted}`);
  if (!hasProgressed(object)) return inProgress('ReplicaSet not Available');
  if (!conditionOf(object, 'Available', 'True')) return inProgress('Deployment not Available');
  return current(`Deployment is available. Replicas: ${replicas}`);
}

function hasProgressed(object: KubeObject): boolean {
  if ((integerAt(object, 'spec', 'progressDeadlineSeconds') ?? noDeadline) === noDeadline) return true;
  return conditionOf(object, 'Progressing', 'True')?.reason === 'NewReplicaSetAvailable';
}
