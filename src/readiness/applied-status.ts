import { groupKind } from '../objects/group-kind.ts';
import type { KubeObject } from '../objects/object.ts';
import { hasReadinessRule } from './readiness.ts';
import type { RelatedObjects } from './related-objects.ts';
import type { ReadinessOptions } from './status.ts';
import { waitReadiness } from './wait-readiness.ts';

/** Kinds of Kubernetes that are ready once they are, because no controller changes their status. */
const steadyKinds: ReadonlySet<string> = new Set([
  'ConfigMap',
  'Endpoints',
  'LimitRange',
  'Namespace',
  'ResourceQuota',
  'Secret',
  'Service',
  'ServiceAccount',
  'autoscaling/HorizontalPodAutoscaler',
  'batch/CronJob',
  'discovery.k8s.io/EndpointSlice',
  'networking.k8s.io/Ingress',
  'networking.k8s.io/IngressClass',
  'networking.k8s.io/NetworkPolicy',
  'rbac.authorization.k8s.io/ClusterRole',
  'rbac.authorization.k8s.io/ClusterRoleBinding',
  'rbac.authorization.k8s.io/Role',
  'rbac.authorization.k8s.io/RoleBinding',
  'scheduling.k8s.io/PriorityClass',
  'storage.k8s.io/StorageClass',
]);

const nothing: RelatedObjects = { replicaSets: [], pods: [], events: [] };

/**
 * Status of an object that the API server has just returned: `steady` if it is current and stays
 * so, `current` if it is current now, or `open` if only a watch can tell.
 */
export type AppliedStatus = 'steady' | 'current' | 'open';

/**
 * Returns the status of an object as the response to a write shows it. A custom resource is always
 * `open`: its controller may not have seen the change yet.
 */
export function appliedStatus(object: KubeObject, options: ReadinessOptions): AppliedStatus {
  const isSteady = steadyKinds.has(groupKind(object));
  if (waitReadiness(object, () => nothing, options).status !== 'Current') return 'open';
  if (isSteady) return 'steady';
  return options.strategy !== 'legacy' && hasReadinessRule(object) ? 'current' : 'open';
}
