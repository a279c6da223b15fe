import { integerAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import { current, inProgress, type Readiness } from './status.ts';

export function daemonSetReadiness(object: KubeObject): Readiness {
  if (object.metadata.generation === undefined) return inProgress('DaemonSet metadata.generation not found');
  if (integerAt(object, 'status', 'observedGeneration') === undefined) {
    return inProgress('DaemonSet status.observedGeneration not found');
  }
  const desired = integerAt(object, 'status', 'desiredNumberScheduled');
  if (desired === undefined) return inProgress('Missing .status.desiredNumberScheduled');

  const counts = [
    ['Current', 'currentNumberScheduled'],
    ['Updated', 'updatedNumberScheduled'],
    ['Available', 'numberAvailable'],
    ['Ready', 'numberReady'],
  ] as const;
  const isOnDelete = stringAt(object, 'spec', 'updateStrategy', 'type') === 'OnDelete';
  for (const [label, field] of counts) {
    // someone has to delete the pods of the old revision
    if (isOnDelete && label === 'Updated') continue;
    const count = integerAt(object, 'status', field) ?? 0;
    if (desired > count) return inProgress(`${label}: ${count}/${desired}`);
  }
  return current(`All replicas scheduled as expected. Replicas: ${desired}`);
}
