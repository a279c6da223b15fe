/**
 * Helm 4's installation order of kinds. Other kinds come last, ordered by name
 * (pkg/release/v1/util/kind_sorter.go).
 */
const installOrder = [
  'PriorityClass',
  'Namespace',
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'PodSecurityPolicy',
  'PodDisruptionBudget',
  'ServiceAccount',
  'Secret',
  'SecretList',
  'ConfigMap',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleList',
  'ClusterRoleBinding',
  'ClusterRoleBindingList',
  'Role',
  'RoleList',
  'RoleBinding',
  'RoleBindingList',
  'Service',
  'DaemonSet',
  'Pod',
  'ReplicationController',
  'ReplicaSet',
  'Deployment',
  'HorizontalPodAutoscaler',
  'StatefulSet',
  'Job',
  'CronJob',
  'IngressClass',
  'Ingress',
  'APIService',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
];

/** Uninstallation order: the reverse, except that Service comes directly after IngressClass. */
const uninstallOrder = installOrder.toReversed().filter((kind) => kind !== 'Service');
uninstallOrder.splice(uninstallOrder.indexOf('IngressClass') + 1, 0, 'Service');

const installRank: ReadonlyMap<string, number> = new Map(installOrder.map((kind, rank) => [kind, rank]));
const uninstallRank: ReadonlyMap<string, number> = new Map(uninstallOrder.map((kind, rank) => [kind, rank]));

/** Compares two kinds by installation order. */
export function compareForInstall(a: string, b: string): number {
  return compareKinds(installRank, a, b);
}

/** Compares two kinds by uninstallation order. */
export function compareForUninstall(a: string, b: string): number {
  return compareKinds(uninstallRank, a, b);
}

function compareKinds(ranks: ReadonlyMap<string, number>, a: string, b: string): number {
  const rankA = ranks.get(a);
  const rankB = ranks.get(b);
  if (rankA === undefined && rankB === undefined) return a < b ? -1 : a > b ? 1 : 0;
  return (rankA ?? installOrder.length) - (rankB ?? installOrder.length);
}
