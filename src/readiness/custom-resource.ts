import { integerAt, objectAt } from '../objects/fields.ts';
import { groupOf } from '../objects/group-kind.ts';
import type { KubeObject } from '../objects/object.ts';

/** Whether a kind is not one of Kubernetes itself, by its API group. */
export function isCustomKind({ apiVersion }: { apiVersion: string }): boolean {
  const group = groupOf(apiVersion);
  return group.includes('.') && !group.endsWith('.k8s.io');
}

/**
 * Whether a custom resource shows nothing that its controller has done since an apply: it has no
 * status, or it is as the apply has left it, and does not say which generation its status is about.
 * `appliedVersion` is the resourceVersion that the apply has returned.
 */
export function isUntouched(object: KubeObject, appliedVersion: string): boolean {
  if (!isCustomKind(object)) return false;
  if (Object.keys(objectAt(object, 'status')).length === 0) return true;
  const isObserved = integerAt(object, 'status', 'observedGeneration') === object.metadata.generation;
  return object.metadata.resourceVersion === appliedVersion && !isObserved;
}
