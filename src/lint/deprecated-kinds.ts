/** Kinds of an API version that Kubernetes has deprecated. */
export interface DeprecatedKinds {
  apiVersion: string;
  /** Kubernetes version that deprecated them, `major.minor`. */
  since: string;
  /** Kubernetes version that removes them; empty if none is planned. */
  removed: string;
  /** API version to use instead; empty if there is none. */
  replacement: string;
  /** Kinds separated by spaces; `Kind:Other` if the replacement has another name. */
  kinds: string;
}

/**
 * Deprecated kinds in the client library of Helm 4.2.4 (k8s.io/api v0.36.1,
 * zz_generated.prerelease-lifecycle.go of each package of its scheme).
 */
export const deprecatedKinds: readonly DeprecatedKinds[] = [
  {
    apiVersion: 'admissionregistration.k8s.io/v1alpha1',
    since: '1.35',
    removed: '1.38',
    replacement: '',
    kinds:
      'MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingAdmissionPolicyBindingList MutatingAdmissionPolicyList',
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1alpha1',
    since: '1.29',
    removed: '1.32',
    replacement: '',
    kinds:
      'ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingAdmissionPolicyBindingList ValidatingAdmissionPolicyList',
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1beta1',
    since: '1.37',
    removed: '1.40',
    replacement: 'admissionregistration.k8s.io/v1',
    kinds:
      'MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingAdmissionPolicyBindingList MutatingAdmissionPolicyList',
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1beta1',
    since: '1.16',
    removed: '1.22',
    replacement: 'admissionregistration.k8s.io/v1',
    kinds:
      'MutatingWebhookConfiguration MutatingWebhookConfigurationList ValidatingWebhookConfiguration ValidatingWebhookConfigurationList',
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1beta1',
    since: '1.31',
    removed: '1.34',
    replacement: '',
    kinds:
      'ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingAdmissionPolicyBindingList ValidatingAdmissionPolicyList',
  },
  {
    apiVersion: 'apps/v1beta1',
    since: '1.8',
    removed: '1.16',
    replacement: 'apps/v1',
    kinds:
      'ControllerRevision ControllerRevisionList Deployment DeploymentList DeploymentRollback StatefulSet StatefulSetList',
  },
  { apiVersion: 'apps/v1beta1', since: '1.8', removed: '1.16', replacement: 'autoscaling/v1', kinds: 'Scale' },
  {
    apiVersion: 'apps/v1beta2',
    since: '1.9',
    removed: '1.16',
    replacement: 'apps/v1',
    kinds:
      'ControllerRevision ControllerRevisionList DaemonSet DaemonSetList Deployment DeploymentList ReplicaSet ReplicaSetList StatefulSet StatefulSetList',
  },
  { apiVersion: 'apps/v1beta2', since: '1.9', removed: '1.16', replacement: 'autoscaling/v1', kinds: 'Scale' },
  {
    apiVersion: 'authentication.k8s.io/v1alpha1',
    since: '1.29',
    removed: '1.32',
    replacement: '',
    kinds: 'SelfSubjectReview',
  },
  {
    apiVersion: 'authentication.k8s.io/v1beta1',
    since: '1.30',
    removed: '1.33',
    replacement: '',
    kinds: 'SelfSubjectReview',
  },
  {
    apiVersion: 'authentication.k8s.io/v1beta1',
    since: '1.19',
    removed: '1.22',
    replacement: 'authentication.k8s.io/v1',
    kinds: 'TokenReview',
  },
  {
    apiVersion: 'authorization.k8s.io/v1beta1',
    since: '1.19',
    removed: '1.22',
    replacement: 'authorization.k8s.io/v1',
    kinds: 'LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview',
  },
  {
    apiVersion: 'batch/v1beta1',
    since: '1.21',
    removed: '1.25',
    replacement: 'batch/v1',
    kinds: 'CronJob CronJobList',
  },
  {
    apiVersion: 'certificates.k8s.io/v1alpha1',
    since: '1.34',
    removed: '1.37',
    replacement: '',
    kinds: 'ClusterTrustBundle ClusterTrustBundleList',
  },
  {
    apiVersion: 'certificates.k8s.io/v1beta1',
    since: '1.19',
    removed: '1.22',
    replacement: 'certificates.k8s.io/v1',
    kinds: 'CertificateSigningRequest CertificateSigningRequestList',
  },
  {
    apiVersion: 'certificates.k8s.io/v1beta1',
    since: '1.37',
    removed: '1.40',
    replacement: '',
    kinds: 'ClusterTrustBundle ClusterTrustBundleList',
  },
  {
    apiVersion: 'certificates.k8s.io/v1beta1',
    since: '1.38',
    removed: '1.41',
    replacement: '',
    kinds: 'PodCertificateRequest PodCertificateRequestList',
  },
  {
    apiVersion: 'coordination.k8s.io/v1alpha2',
    since: '1.35',
    removed: '1.38',
    replacement: '',
    kinds: 'LeaseCandidate LeaseCandidateList',
  },
  {
    apiVersion: 'coordination.k8s.io/v1beta1',
    since: '1.19',
    removed: '1.22',
    replacement: 'coordination.k8s.io/v1',
    kinds: 'Lease LeaseList',
  },
  {
    apiVersion: 'coordination.k8s.io/v1beta1',
    since: '1.36',
    removed: '1.39',
    replacement: '',
    kinds: 'LeaseCandidate LeaseCandidateList',
  },
  {
    apiVersion: 'discovery.k8s.io/v1beta1',
    since: '1.21',
    removed: '1.25',
    replacement: 'discovery.k8s.io/v1',
    kinds: 'EndpointSlice EndpointSliceList:EndpointSlice',
  },
  { apiVersion: 'events.k8s.io/v1beta1', since: '1.22', removed: '1.25', replacement: '', kinds: 'Event EventList' },
  {
    apiVersion: 'extensions/v1beta1',
    since: '1.8',
    removed: '1.16',
    replacement: 'apps/v1',
    kinds: 'DaemonSet DaemonSetList Deployment DeploymentList ReplicaSet ReplicaSetList',
  },
  { apiVersion: 'extensions/v1beta1', since: '1.8', removed: '1.16', replacement: '', kinds: 'DeploymentRollback' },
  {
    apiVersion: 'extensions/v1beta1',
    since: '1.14',
    removed: '1.22',
    replacement: 'networking.k8s.io/v1',
    kinds: 'Ingress IngressList',
  },
  {
    apiVersion: 'extensions/v1beta1',
    since: '1.9',
    removed: '1.16',
    replacement: 'networking.k8s.io/v1',
    kinds: 'NetworkPolicy NetworkPolicyList',
  },
  { apiVersion: 'extensions/v1beta1', since: '1.2', removed: '1.16', replacement: '', kinds: 'Scale' },
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1beta1',
    since: '1.23',
    removed: '1.26',
    replacement: 'flowcontrol.apiserver.k8s.io/v1beta3',
    kinds: 'FlowSchema FlowSchemaList PriorityLevelConfiguration PriorityLevelConfigurationList',
  },
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1beta2',
    since: '1.26',
    removed: '1.29',
    replacement: 'flowcontrol.apiserver.k8s.io/v1beta3',
    kinds: 'FlowSchema FlowSchemaList PriorityLevelConfiguration PriorityLevelConfigurationList',
  },
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1beta3',
    since: '1.29',
    removed: '1.32',
    replacement: 'flowcontrol.apiserver.k8s.io/v1',
    kinds: 'FlowSchema FlowSchemaList PriorityLevelConfiguration PriorityLevelConfigurationList',
  },
  {
    apiVersion: 'networking.k8s.io/v1beta1',
    since: '1.34',
    removed: '1.37',
    replacement: '',
    kinds: 'IPAddress IPAddressList ServiceCIDR ServiceCIDRList',
  },
  {
    apiVersion: 'networking.k8s.io/v1beta1',
    since: '1.19',
    removed: '1.22',
    replacement: 'networking.k8s.io/v1',
    kinds: 'Ingress IngressClass:IngressClassList IngressClassList IngressList',
  },
  {
    apiVersion: 'node.k8s.io/v1beta1',
    since: '1.22',
    removed: '1.25',
    replacement: '',
    kinds: 'RuntimeClass RuntimeClassList',
  },
  { apiVersion: 'policy/v1beta1', since: '1.22', removed: '1.25', replacement: '', kinds: 'Eviction' },
  {
    apiVersion: 'policy/v1beta1',
    since: '1.21',
    removed: '1.25',
    replacement: 'policy/v1',
    kinds: 'PodDisruptionBudget PodDisruptionBudgetList',
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1beta1',
    since: '1.17',
    removed: '1.22',
    replacement: 'rbac.authorization.k8s.io/v1',
    kinds:
      'ClusterRole ClusterRoleBinding ClusterRoleBindingList ClusterRoleList Role RoleBinding RoleBindingList RoleList',
  },
  {
    apiVersion: 'resource.k8s.io/v1alpha3',
    since: '1.36',
    removed: '1.39',
    replacement: '',
    kinds: 'DeviceTaintRule DeviceTaintRuleList',
  },
  {
    apiVersion: 'resource.k8s.io/v1alpha3',
    since: '1.39',
    removed: '1.42',
    replacement: '',
    kinds: 'ResourcePoolStatusRequest ResourcePoolStatusRequestList',
  },
  {
    apiVersion: 'resource.k8s.io/v1beta1',
    since: '1.35',
    removed: '1.38',
    replacement: '',
    kinds:
      'DeviceClass DeviceClassList ResourceClaim ResourceClaimList ResourceClaimTemplate ResourceClaimTemplateList ResourceSlice ResourceSliceList',
  },
  {
    apiVersion: 'resource.k8s.io/v1beta2',
    since: '1.36',
    removed: '1.39',
    replacement: '',
    kinds:
      'DeviceClass DeviceClassList ResourceClaim ResourceClaimList ResourceClaimTemplate ResourceClaimTemplateList ResourceSlice ResourceSliceList',
  },
  {
    apiVersion: 'resource.k8s.io/v1beta2',
    since: '1.39',
    removed: '1.42',
    replacement: '',
    kinds: 'DeviceTaintRule DeviceTaintRuleList',
  },
  {
    apiVersion: 'scheduling.k8s.io/v1beta1',
    since: '1.14',
    removed: '1.22',
    replacement: 'scheduling.k8s.io/v1',
    kinds: 'PriorityClass PriorityClassList',
  },
  {
    apiVersion: 'storage.k8s.io/v1alpha1',
    since: '1.21',
    removed: '1.24',
    replacement: 'storage.k8s.io/v1beta1',
    kinds: 'CSIStorageCapacity CSIStorageCapacityList',
  },
  {
    apiVersion: 'storage.k8s.io/v1alpha1',
    since: '1.21',
    removed: '1.24',
    replacement: 'storage.k8s.io/v1',
    kinds: 'VolumeAttachment VolumeAttachmentList',
  },
  {
    apiVersion: 'storage.k8s.io/v1alpha1',
    since: '1.32',
    removed: '1.35',
    replacement: 'storage.k8s.io/v1',
    kinds: 'VolumeAttributesClass VolumeAttributesClassList',
  },
  {
    apiVersion: 'storage.k8s.io/v1beta1',
    since: '1.19',
    removed: '1.22',
    replacement: 'storage.k8s.io/v1',
    kinds: 'CSIDriver CSIDriverList StorageClass StorageClassList VolumeAttachment VolumeAttachmentList',
  },
  {
    apiVersion: 'storage.k8s.io/v1beta1',
    since: '1.17',
    removed: '1.22',
    replacement: 'storage.k8s.io/v1',
    kinds: 'CSINode CSINodeList:CSINode',
  },
  {
    apiVersion: 'storage.k8s.io/v1beta1',
    since: '1.24',
    removed: '1.27',
    replacement: 'storage.k8s.io/v1',
    kinds: 'CSIStorageCapacity CSIStorageCapacityList',
  },
  {
    apiVersion: 'storage.k8s.io/v1beta1',
    since: '1.34',
    removed: '1.37',
    replacement: 'storage.k8s.io/v1',
    kinds: 'VolumeAttributesClass VolumeAttributesClassList',
  },
  {
    apiVersion: 'storagemigration.k8s.io/v1beta1',
    since: '1.38',
    removed: '1.41',
    replacement: '',
    kinds: 'StorageVersionMigration StorageVersionMigrationList',
  },
  { apiVersion: 'v1', since: '1.19', removed: '', replacement: '', kinds: 'ComponentStatus ComponentStatusList' },
  {
    apiVersion: 'v1',
    since: '1.33',
    removed: '',
    replacement: 'discovery.k8s.io/v1',
    kinds: 'Endpoints:EndpointSlice EndpointsList:EndpointSliceList',
  },
];
