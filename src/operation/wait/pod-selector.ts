import { isJsonObject, objectAt } from '../../objects/fields.ts';
import { labelRequirements, type LabelRequirement } from '../../objects/label-selector.ts';
import type { KubeObject } from '../../objects/object.ts';

/** Kinds with a selector for the pods that they own, directly or through ReplicaSets. */
export const podOwners: ReadonlySet<string> = new Set([
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'ReplicationController',
  'Job',
]);

/** Returns the selector of a workload's pods in the API's form. Empty if it has none. */
export function podSelector({ kind, spec }: KubeObject): string {
  const selector = isJsonObject(spec) ? objectAt(spec, 'selector') : {};
  const labelSelector =
    kind === 'ReplicationController' ? { matchLabels: selector as Record<string, string> } : selector; // as the API defines it
  return labelRequirements(labelSelector).map(requirementText).join(',');
}

function requirementText({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'In':
      return `${key} in (${values.join(',')})`;
    case 'NotIn':
      return `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
  }
}
