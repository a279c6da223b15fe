import { allVerbs, type ResourceType } from './resource-type.ts';

/** The version of Kubernetes that the sandbox is like. */
export const kubernetesVersion = 'v1.35.0';

type Row = [kind: string, plural: string, flags?: string, shortNames?: string, subresources?: string];

/**
 * The kinds of Kubernetes 1.35 that charts use, by group version.
 * Flags: `c` cluster-scoped, `g` has metadata.generation, `a` in the category `all`, `r` a review,
 * which is answered and not stored.
 */
const table: Record<string, Row[]> = {
  v1: [
    ['ConfigMap', 'configmaps', '', 'cm'],
    ['Endpoints', 'endpoints', '', 'ep'],
    ['Event', 'events', '', 'ev'],
    ['LimitRange', 'limitranges', '', 'limits'],
    ['Namespace', 'namespaces', 'c', 'ns', 'status finalize'],
    ['Node', 'nodes', 'c', 'no', 'status'],
    ['PersistentVolumeClaim', 'persistentvolumeclaims', '', 'pvc', 'status'],
    ['PersistentVolume', 'persistentvolumes', 'c', 'pv', 'status'],
    ['Pod', 'pods', 'ga', 'po', 'status log'],
    ['PodTemplate', 'podtemplates', 'g'],
    ['ReplicationController', 'replicationcontrollers', 'ga', 'rc', 'status scale'],
    ['ResourceQuota', 'resourcequotas', '', 'quota', 'status'],
    ['Secret', 'secrets'],
    ['ServiceAccount', 'serviceaccounts', '', 'sa'],
    ['Service', 'services', 'a', 'svc', 'status'],
  ],
  'admissionregistration.k8s.io/v1': [
    ['MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', 'cg'],
    ['ValidatingAdmissionPolicy', 'validatingadmissionpolicies', 'cg', '', 'status'],
    ['ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', 'cg'],
    ['ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', 'cg'],
  ],
  'apiextensions.k8s.io/v1': [['CustomResourceDefinition', 'customresourcedefinitions', 'cg', 'crd crds', 'status']],
  'apiregistration.k8s.io/v1': [['APIService', 'apiservices', 'c', '', 'status']],
  'apps/v1': [
    ['ControllerRevision', 'controllerrevisions'],
    ['DaemonSet', 'daemonsets', 'ga', 'ds', 'status'],
    ['Deployment', 'deployments', 'ga', 'deploy', 'status scale'],
    ['ReplicaSet', 'replicasets', 'ga', 'rs', 'status scale'],
    ['StatefulSet', 'statefulsets', 'ga', 'sts', 'status scale'],
  ],
  'authorization.k8s.io/v1': [
    ['SelfSubjectAccessReview', 'selfsubjectaccessreviews', 'cr'],
    ['SelfSubjectRulesReview', 'selfsubjectrulesreviews', 'cr'],
  ],
  'autoscaling/v2': [['HorizontalPodAutoscaler', 'horizontalpodautoscalers', 'a', 'hpa', 'status']],
  'autoscaling/v1': [['HorizontalPodAutoscaler', 'horizontalpodautoscalers', 'a', 'hpa', 'status']],
  'batch/v1': [
    ['CronJob', 'cronjobs', 'ga', 'cj', 'status'],
    ['Job', 'jobs', 'ga', '', 'status'],
  ],
  'certificates.k8s.io/v1': [
    ['CertificateSigningRequest', 'certificatesigningrequests', 'c', 'csr', 'status approval'],
  ],
  'coordination.k8s.io/v1': [['Lease', 'leases']],
  'discovery.k8s.io/v1': [['EndpointSlice', 'endpointslices', 'g']],
  'events.k8s.io/v1': [['Event', 'events', '', 'ev']],
  'flowcontrol.apiserver.k8s.io/v1': [
    ['FlowSchema', 'flowschemas', 'cg', '', 'status'],
    ['PriorityLevelConfiguration', 'prioritylevelconfigurations', 'cg', '', 'status'],
  ],
  'networking.k8s.io/v1': [
    ['Ingress', 'ingresses', 'g', 'ing', 'status'],
    ['IngressClass', 'ingressclasses', 'cg'],
    ['IPAddress', 'ipaddresses', 'cg', 'ip'],
    ['NetworkPolicy', 'networkpolicies', 'g', 'netpol'],
    ['ServiceCIDR', 'servicecidrs', 'cg', '', 'status'],
  ],
  'node.k8s.io/v1': [['RuntimeClass', 'runtimeclasses', 'c']],
  'policy/v1': [['PodDisruptionBudget', 'poddisruptionbudgets', 'g', 'pdb', 'status']],
  'rbac.authorization.k8s.io/v1': [
    ['ClusterRole', 'clusterroles', 'c'],
    ['ClusterRoleBinding', 'clusterrolebindings', 'c'],
    ['Role', 'roles'],
    ['RoleBinding', 'rolebindings'],
  ],
  'resource.k8s.io/v1': [
    ['DeviceClass', 'deviceclasses', 'cg'],
    ['ResourceClaim', 'resourceclaims', '', '', 'status'],
    ['ResourceClaimTemplate', 'resourceclaimtemplates'],
    ['ResourceSlice', 'resourceslices', 'cg'],
  ],
  'scheduling.k8s.io/v1': [['PriorityClass', 'priorityclasses', 'cg', 'pc']],
  'storage.k8s.io/v1': [
    ['CSIDriver', 'csidrivers', 'c'],
    ['CSINode', 'csinodes', 'c'],
    ['CSIStorageCapacity', 'csistoragecapacities'],
    ['StorageClass', 'storageclasses', 'c', 'sc'],
    ['VolumeAttachment', 'volumeattachments', 'c', '', 'status'],
  ],
};

/** Kinds that the sandbox serves without any CustomResourceDefinition. */
export const builtinResources: readonly ResourceType[] = Object.entries(table).flatMap(([apiVersion, rows]) =>
  rows.map((row) => fromRow(apiVersion, row)),
);

function fromRow(
  apiVersion: string,
  [kind, plural, flags = '', shortNames = '', subresources = '']: Row,
): ResourceType {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/', 2) : ['', apiVersion];
  return {
    group: group ?? '',
    version: version ?? '',
    kind,
    plural,
    singular: kind.toLowerCase(),
    shortNames: words(shortNames),
    categories: flags.includes('a') ? ['all'] : [],
    namespaced: !flags.includes('c'),
    verbs: flags.includes('r') ? ['create'] : allVerbs,
    subresources: words(subresources),
    hasGeneration: flags.includes('g'),
    custom: false,
  };
}

function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}
