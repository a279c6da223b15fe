/** Values of `failFast`. */
export const failFastLevels = ['never', 'fatal', 'likely'] as const;

export const problemClassNames = ['fatal', 'likely', 'transient'] as const;

/**
 * All codes of problems of resources that are not ready, with their meaning. docs/readiness.md has
 * the same list.
 */
export const problems = {
  image_not_found: 'The registry says that there is no such image.',
  image_name_invalid: 'The name of the image cannot be read.',
  image_never_pulled: 'The image is not on the node, and `imagePullPolicy` is `Never`.',
  image_denied: 'The registry requires credentials, or rejects them.',
  registry_unavailable: 'The registry limits requests (429), has an error, or takes too long.',
  image_pull_failed: 'The image cannot be pulled for another reason.',
  config_error:
    'A ConfigMap or Secret of the environment, or a key of it, is missing; or the image runs as root and must not. `likely` if a custom resource or a Job of the release may create it.',
  container_not_started:
    'The container cannot be created or started, such as for a missing program, or because the kubelet has not read a ConfigMap or Secret in time.',
  crash_loop: 'A container has ended, and is started again. `transient` in a Job, whose `backoffLimit` counts.',
  container_failed: 'A container has ended with an error, and is not started again.',
  probe_failed: 'A probe of a container fails.',
  unschedulable: 'No node has room for the pod, or fits it.',
  waiting_for_node: 'The same, and an autoscaler or the scheduler makes room, or a volume may not be there yet.',
  volume_not_mounted: 'A volume cannot be attached or mounted.',
  volume_source_missing: 'The same, and the pod has only volumes from ConfigMaps, Secrets and the node.',
  set_up_failed: 'The node cannot make the sandbox or the network of the pod.',
  evicted: 'The node has evicted the pod.',
  node_lost: 'The node of the pod is lost or shuts down.',
  pod_failed: 'The pod has failed for another reason.',
  quota_exceeded: 'A ResourceQuota refuses pods, and no older pod is there that may make room.',
  pod_security: 'The Pod Security Standard of the namespace refuses pods.',
  pods_refused: 'The API server refuses pods for another reason, such as an admission webhook.',
  update_blocked: 'A pod of the revision before is not ready, and blocks the update of a StatefulSet.',
  volume_not_provisioned: 'A PersistentVolumeClaim gets no volume.',
  job_failed: 'A Job has failed: its `backoffLimit` or its deadline is over.',
  failed: 'The status of the resource says that it has failed, such as by its `progressDeadlineSeconds`.',
  starting: 'The pod is starting, and has no problem.',
} as const;

export type ProblemCode = keyof typeof problems;

export const problemCodes = Object.keys(problems) as ProblemCode[]; // these are its keys
