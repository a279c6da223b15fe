import { objectsAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';

const annotation = 'kubectl.kubernetes.io/default-container';

/** Returns the container of a pod that commands without one mean, as in kubectl. */
export function defaultContainerOf(pod: KubeObject): string | undefined {
  return pod.metadata.annotations?.[annotation] ?? stringAt(objectsAt(pod, 'spec', 'containers')[0], 'name');
}
